import { GraphQLSafeInt } from "graphql-scalars";
import { ArgsType, Extensions, Field, InputType, registerEnumType } from "type-graphql";
import { Legacy } from "../../access/legacy";
import { edgeOf, PageArgs } from "../../paging/page.type";
import { UserType } from "../user.type";
import { USER_LIST_FIELDS, type UserListField } from "./user-filter";

const describe = (field: string) =>
  field === "userTags"
    ? "By userTags, as one text. No index serves this order: each page reads all users that the filter matches."
    : `By ${field}.`;

/** GraphQL names of the sort fields of the user list. */
const UserSortField = Object.fromEntries(
  Object.keys(USER_LIST_FIELDS).map((field) => [
    field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    field,
  ]),
);
registerEnumType(UserSortField, {
  name: "UserSortField",
  description: "Sort fields of the user list.",
  valuesConfig: Object.fromEntries(
    Object.entries(UserSortField).map(([name, field]) => [name, { description: describe(field) }]),
  ),
});

@InputType({ description: "Conditions on a number; all given ones must match." })
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

@InputType({ description: "Conditions on a text; all given ones must match." })
export class StringFilter {
  @Field(() => String, { nullable: true, description: "Equal. Primary." })
  eq?: string | null;
  @Field(() => [String], { nullable: true, description: "One of these. Primary." })
  in?: string[] | null;
  @Field(() => String, {
    nullable: true,
    description:
      "Starts with this literal text of at least 4 characters. Primary; sets the limit to 5.",
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

@InputType({ description: "Conditions on a time; all given ones must match." })
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

/**
 * Lists the operators that a stand-alone field takes, for OpenAPI: the others violate rule 2. The GraphQL types are
 * shared with fields that take them.
 */
const StandAlone = () => Extensions({ operators: ["eq", "in", "nin", "startWith"] });

@InputType("UserFilter", {
  description: `Filter of the user list. Five rules apply: 1. a filter has at least one stand-alone field with a primary
operator (eq, in, startWith); 2. stand-alone fields do not support comparison operators (gt, lt, gte, lte);
3. additional fields alone are not enough; 4. nin alone is not enough; 5. startWith takes at least 4 characters
and sets the limit to 5.`,
})
export class UserFilterInput {
  @StandAlone()
  @Field({ nullable: true, description: "By numeric id. Stand-alone." })
  id?: IntegerFilter;
  @StandAlone()
  @Field({ nullable: true, description: "By login, case-insensitive. Stand-alone." })
  login?: StringFilter;
  @StandAlone()
  @Field({ nullable: true, description: "By e-mail, case-insensitive. Stand-alone." })
  email?: StringFilter;
  @StandAlone()
  @Field({ nullable: true, description: "By name. Stand-alone." })
  fullName?: StringFilter;
  @StandAlone()
  @Field({ nullable: true, description: "By phone number. Stand-alone." })
  phone?: StringFilter;
  @StandAlone()
  @Field({ nullable: true, description: "By external id. Stand-alone." })
  externalId?: StringFilter;
  @StandAlone()
  @Field({ nullable: true, description: "By Facebook id. Stand-alone." })
  facebookId?: StringFilter;
  @StandAlone()
  @Field({ nullable: true, description: "By Twitter id. Stand-alone." })
  twitterId?: StringFilter;
  @StandAlone()
  @Field({
    nullable: true,
    description: "By tag: a user matches if one of its tags does. Stand-alone or additional.",
  })
  userTags?: StringFilter;
  @Field({ nullable: true, description: "By the time of the last request. Additional." })
  lastRequestAt?: DateFilter;
  @Field({ nullable: true, description: "By the time of the sign-up. Additional." })
  createdAt?: DateFilter;
  @Field({ nullable: true, description: "By the time of the last change. Additional." })
  updatedAt?: DateFilter;
}

@InputType("UserSort", {
  description: "Order of a user list: exactly one of asc and desc; by id if omitted.",
})
export class UserSortInput {
  @Field(() => UserSortField, {
    nullable: true,
    description: "Ascending by this field; users without a value come first.",
  })
  asc?: UserListField | null;
  @Field(() => UserSortField, {
    nullable: true,
    description: "Descending by this field; users without a value come last.",
  })
  desc?: UserListField | null;
}

export const UserEdge = edgeOf<UserType>("UserEdge", "user", () => UserType);

@ArgsType()
export class UserListArgs extends PageArgs {
  @Field(() => UserFilterInput, {
    nullable: true,
    description:
      "The filter. Without one the list has all users of the application, if its settings allow that (v1ListDisabled); for an API key always.",
  })
  filter?: UserFilterInput | null;

  @Field(() => UserSortInput, { nullable: true, description: "The order." })
  sort?: UserSortInput | null;

  @Legacy()
  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Number of users to skip; 0 by default.",
  })
  offset?: number | null;

  @Legacy()
  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: "Maximum number of users; 100 by default, which is also the maximum.",
  })
  limit?: number | null;
}

@ArgsType()
export class ApplicationUserArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "Only users whose login or e-mail starts with this text; case-insensitive. Those whose login does come first, by login, then the others by e-mail, both in byte order of the lower case.",
  })
  search?: string | null;

  @Field(() => UserFilterInput, {
    nullable: true,
    description: "Only users that match this filter, by the rules of the user list.",
  })
  filter?: UserFilterInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Only users who are blocked, or only users who are not.",
  })
  blocked?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Only guests, or only other users." })
  guest?: boolean | null;

  @Field(() => UserSortInput, {
    nullable: true,
    description:
      "The order; by id by default. It cannot be combined with search, and must be by ID for blocked users or guests alone without a filter. By USER_TAGS it requires a filter.",
  })
  sort?: UserSortInput | null;
}
