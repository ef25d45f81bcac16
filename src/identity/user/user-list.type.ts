import { GraphQLSafeInt } from "graphql-scalars";
import { Field, InputType, ObjectType, registerEnumType } from "type-graphql";
import { UserType } from "./user.type";
import { USER_LIST_FIELDS, type UserListField } from "./user-filter";

/** GraphQL names of the fields that the user list sorts by. */
const UserSortField = Object.fromEntries(
  Object.keys(USER_LIST_FIELDS).map((field) => [
    field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    field,
  ]),
);
registerEnumType(UserSortField, {
  name: "UserSortField",
  description: "What the user list can be sorted by.",
  valuesConfig: Object.fromEntries(
    Object.entries(UserSortField).map(([name, field]) => [name, { description: `By ${field}.` }]),
  ),
});

@InputType({ description: "Conditions on a number; all that are given hold." })
export class IntegerFilter {
  @Field(() => GraphQLSafeInt, { nullable: true, description: "Equal. Primary." })
  eq?: number | null;
  @Field(() => [GraphQLSafeInt], { nullable: true, description: "One of these. Primary." })
  in?: number[] | null;
  @Field(() => [GraphQLSafeInt], { nullable: true, description: "None of these. Excludes." })
  nin?: number[] | null;
  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Greater. Not on a stand-alone field.",
  })
  gt?: number | null;
  @Field(() => GraphQLSafeInt, { nullable: true, description: "Less. Not on a stand-alone field." })
  lt?: number | null;
  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Greater or equal. Not on a stand-alone field.",
  })
  gte?: number | null;
  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Less or equal. Not on a stand-alone field.",
  })
  lte?: number | null;
}

@InputType({ description: "Conditions on a text; all that are given hold." })
export class StringFilter {
  @Field(() => String, { nullable: true, description: "Equal. Primary." })
  eq?: string | null;
  @Field(() => [String], { nullable: true, description: "One of these. Primary." })
  in?: string[] | null;
  @Field(() => String, {
    nullable: true,
    description:
      "Begins with this text of at least 4 characters, taken literally. Primary; forces the limit to 5.",
  })
  startWith?: string | null;
  @Field(() => [String], { nullable: true, description: "None of these. Excludes." })
  nin?: string[] | null;
  @Field(() => String, { nullable: true, description: "Greater. Not on a stand-alone field." })
  gt?: string | null;
  @Field(() => String, { nullable: true, description: "Less. Not on a stand-alone field." })
  lt?: string | null;
  @Field(() => String, {
    nullable: true,
    description: "Greater or equal. Not on a stand-alone field.",
  })
  gte?: string | null;
  @Field(() => String, {
    nullable: true,
    description: "Less or equal. Not on a stand-alone field.",
  })
  lte?: string | null;
}

@InputType({ description: "Conditions on a time; all that are given hold." })
export class DateFilter {
  @Field(() => Date, { nullable: true, description: "Equal, to the second." })
  eq?: Date | null;
  @Field(() => [Date], { nullable: true, description: "One of these." })
  in?: Date[] | null;
  @Field(() => [Date], { nullable: true, description: "None of these." })
  nin?: Date[] | null;
  @Field(() => Date, { nullable: true, description: "Later." })
  gt?: Date | null;
  @Field(() => Date, { nullable: true, description: "Earlier." })
  lt?: Date | null;
  @Field(() => Date, { nullable: true, description: "Later or equal." })
  gte?: Date | null;
  @Field(() => Date, { nullable: true, description: "Earlier or equal." })
  lte?: Date | null;
}

@InputType("UserFilter", {
  description: `Which users to list. Five rules hold: 1. at least one stand-alone field with a primary operator
(eq, in, startWith); 2. a stand-alone field takes no compare operator (gt, lt, gte, lte); 3. an additional
field alone is not enough; 4. nin alone is not enough; 5. startWith takes at least 4 characters and
forces the limit to 5.`,
})
export class UserFilterInput {
  @Field({ nullable: true, description: "By numeric id. Stand-alone." })
  id?: IntegerFilter;
  @Field({ nullable: true, description: "By login, without regard to case. Stand-alone." })
  login?: StringFilter;
  @Field({ nullable: true, description: "By e-mail, without regard to case. Stand-alone." })
  email?: StringFilter;
  @Field({ nullable: true, description: "By name. Stand-alone." })
  fullName?: StringFilter;
  @Field({ nullable: true, description: "By phone number. Stand-alone." })
  phone?: StringFilter;
  @Field({ nullable: true, description: "By external id. Stand-alone." })
  externalId?: StringFilter;
  @Field({ nullable: true, description: "By Facebook id. Stand-alone." })
  facebookId?: StringFilter;
  @Field({ nullable: true, description: "By Twitter id. Stand-alone." })
  twitterId?: StringFilter;
  @Field({
    nullable: true,
    description: "By tag: a user matches when one of its tags does. Stand-alone or additional.",
  })
  userTags?: StringFilter;
  @Field({ nullable: true, description: "By last request. Additional." })
  lastRequestAt?: DateFilter;
  @Field({ nullable: true, description: "By sign-up. Additional." })
  createdAt?: DateFilter;
  @Field({ nullable: true, description: "By last change. Additional." })
  updatedAt?: DateFilter;
}

@InputType("UserSort", {
  description: "Order of a user list: one of the two; by id when left out.",
})
export class UserSortInput {
  @Field(() => UserSortField, {
    nullable: true,
    description: "Ascending by this field, users without it first.",
  })
  asc?: UserListField | null;
  @Field(() => UserSortField, {
    nullable: true,
    description: "Descending by this field, users without it last.",
  })
  desc?: UserListField | null;
}

@ObjectType({
  description: "Where a page stands (Relay cursor connections).",
  simpleResolvers: true,
})
export class PageInfo {
  @Field({ description: "Whether more follow." })
  hasNextPage!: boolean;
  @Field({ description: "Whether some come before." })
  hasPreviousPage!: boolean;
  @Field(() => String, { nullable: true, description: "Cursor of the first edge." })
  startCursor!: string | null;
  @Field(() => String, {
    nullable: true,
    description: "Cursor of the last edge; ask for what comes after it.",
  })
  endCursor!: string | null;
}

@ObjectType({ description: "A user at its place in a list.", simpleResolvers: true })
export class UserEdge {
  @Field({ description: "The place." })
  cursor!: string;
  @Field(() => UserType, { description: "The user." })
  node!: UserType;
}
