import { GraphQLSafeInt } from "graphql-scalars";
import { Field, InputType, ObjectType, registerEnumType } from "type-graphql";
import {
  LEGACY_FIELDS,
  LEGACY_OPERATORS,
  type LegacyField,
  type LegacyOperator,
} from "./legacy-filter";
import type { UserList } from "./user-list";

const UserField = Object.fromEntries(
  Object.keys(LEGACY_FIELDS).map((field) => [
    field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    field,
  ]),
);
registerEnumType(UserField, {
  name: "UserField",
  description: "What the deprecated page of users is filtered and sorted by.",
  valuesConfig: Object.fromEntries(
    Object.entries(UserField).map(([name, field]) => [name, { description: `By ${field}.` }]),
  ),
});

const MEANING: Record<LegacyOperator, string> = {
  gt: "Greater, or later.",
  lt: "Less, or earlier.",
  ge: "Greater or equal.",
  le: "Less or equal.",
  eq: "Equal; of a date without a time, on that day in UTC.",
  ne: "Not equal, or without a value.",
  between: "From the first of two values to the second, both included.",
  in: "One of the values.",
};
const UserOperator = Object.fromEntries(
  LEGACY_OPERATORS.map((operator) => [operator.toUpperCase(), operator]),
);
registerEnumType(UserOperator, {
  name: "UserOperator",
  description: "How the deprecated page of users compares.",
  valuesConfig: Object.fromEntries(
    LEGACY_OPERATORS.map((operator) => [
      operator.toUpperCase(),
      { description: MEANING[operator] },
    ]),
  ),
});

const SortDirection = { ASC: "asc", DESC: "desc" } as const;
registerEnumType(SortDirection, {
  name: "SortDirection",
  description: "Which way a list is sorted.",
  valuesConfig: {
    ASC: { description: "Ascending, users without a value first." },
    DESC: { description: "Descending, users without a value last." },
  },
});

@InputType("UserCondition", {
  description:
    "A condition of the deprecated page of users. One list is given, the one that suits the field: with one value, with two for BETWEEN, with one or more for IN.",
})
export class UserConditionInput {
  @Field(() => UserField, { description: "What is compared." })
  field!: LegacyField;

  @Field(() => UserOperator, { description: "How it is compared." })
  operator!: LegacyOperator;

  @Field(() => [GraphQLSafeInt], {
    nullable: true,
    description: "For ids, blobId and timezone.",
  })
  numbers?: number[] | null;

  @Field(() => [String], { nullable: true, description: "For texts and tags, taken literally." })
  strings?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "For times: yyyy-mm-dd or yyyy.mm.dd, a day in UTC; or ISO 8601, to the second.",
  })
  dates?: string[] | null;
}

@InputType("UserOrder", { description: "Order of the deprecated page of users." })
export class UserOrderInput {
  @Field(() => UserField, { description: "What is sorted by." })
  field!: LegacyField;

  @Field(() => SortDirection, { description: "Which way." })
  direction!: "asc" | "desc";
}

@ObjectType({ description: "A numbered page of users, as the deprecated lists have it." })
export class UserPage {
  list!: UserList;

  @Field(() => GraphQLSafeInt, { description: "Number of the page, from 1." })
  currentPage!: number;

  @Field(() => GraphQLSafeInt, { description: "How many the page holds at most, as applied." })
  perPage!: number;
}
