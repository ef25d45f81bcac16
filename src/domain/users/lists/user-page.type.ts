import { GraphQLSafeInt } from "graphql-scalars";
import { Field, InputType, Int, ObjectType, registerEnumType } from "type-graphql";
import {
  LEGACY_FIELDS,
  LEGACY_OPERATORS,
  type LegacyField,
  type LegacyOperator,
} from "./legacy-filter";
import type { UserList } from "./user-list-queries";

const UserField = Object.fromEntries(
  Object.keys(LEGACY_FIELDS).map((field) => [
    field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    field,
  ]),
);
registerEnumType(UserField, {
  name: "UserField",
  description: "Filter and sort fields of the deprecated user lists.",
  valuesConfig: Object.fromEntries(
    Object.entries(UserField).map(([name, field]) => [name, { description: `By ${field}.` }]),
  ),
});

const OPERATOR_DESCRIPTIONS: Record<LegacyOperator, string> = {
  gt: "Greater, or later.",
  lt: "Less, or earlier.",
  ge: "Greater or equal.",
  le: "Less or equal.",
  eq: "Equal; for a date without a time, within that day in UTC.",
  ne: "Not equal; also matches users without a value.",
  between: "Between two values, inclusive.",
  in: "One of the values.",
};
const UserOperator = Object.fromEntries(
  LEGACY_OPERATORS.map((operator) => [operator.toUpperCase(), operator]),
);
registerEnumType(UserOperator, {
  name: "UserOperator",
  description: "Operators of the deprecated user lists.",
  valuesConfig: Object.fromEntries(
    LEGACY_OPERATORS.map((operator) => [
      operator.toUpperCase(),
      { description: OPERATOR_DESCRIPTIONS[operator] },
    ]),
  ),
});

const SortDirection = { ASC: "asc", DESC: "desc" } as const;
registerEnumType(SortDirection, {
  name: "SortDirection",
  description: "Sort direction.",
  valuesConfig: {
    ASC: { description: "Ascending; users without a value come first." },
    DESC: { description: "Descending; users without a value come last." },
  },
});

@InputType("UserCondition", {
  description:
    "A condition of the deprecated user lists. Exactly one list is given, the one that matches the field: with one value, with two for BETWEEN, or with one or more for IN.",
})
export class UserConditionInput {
  @Field(() => UserField, { description: "Field to compare." })
  field!: LegacyField;

  @Field(() => UserOperator, { description: "Operator." })
  operator!: LegacyOperator;

  @Field(() => [GraphQLSafeInt], {
    nullable: true,
    description: "For ids, blobId and timezone.",
  })
  numbers?: number[] | null;

  @Field(() => [String], { nullable: true, description: "For texts and tags; literal." })
  strings?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "For times: yyyy-mm-dd or yyyy.mm.dd for a day in UTC, or ISO 8601 to the second.",
  })
  dates?: string[] | null;
}

@InputType("UserOrder", { description: "Order of a deprecated user list." })
export class UserOrderInput {
  @Field(() => UserField, { description: "Field to sort by." })
  field!: LegacyField;

  @Field(() => SortDirection, { description: "Direction." })
  direction!: "asc" | "desc";
}

@ObjectType({ description: "A numbered page of a deprecated user list." })
export class UserPage {
  list!: UserList;

  @Field(() => GraphQLSafeInt, { description: "Number of the page, from 1." })
  currentPage!: number;

  @Field(() => Int, { description: "Maximum number of users of the page, as applied." })
  perPage!: number;
}
