import { Badge, Radio, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { strings } from "../../strings.ts";
import type { MembersQuery } from "./members.generated.ts";
import { accountStrings } from "./strings.ts";

const texts = accountStrings;

/** A role of a member of the account. */
export type AccountRole = MembersQuery["account"]["members"][number]["role"];

/** From the least rights to the most: each role may also do what those before it may. */
export const ROLES: readonly AccountRole[] = ["SUPPORT", "DEVELOPER", "OWNER"];

const COLORS = { SUPPORT: "gray", DEVELOPER: "teal", OWNER: "indigo" } as const;

/** The role of a member, in a list. */
export function RoleLabel({ role }: { role: AccountRole }) {
  return (
    <Badge variant="light" color={COLORS[role]} tt="none" miw="max-content">
      {strings.roles[role]}
    </Badge>
  );
}

/** The field `role` of a form: the roles with what each of them may do. */
export function RoleField<Values extends { role: AccountRole }>({
  form,
}: {
  form: UseFormReturnType<Values>;
}) {
  return (
    <Radio.Group label={texts.role} {...form.getInputProps("role" as never)}>
      <Stack gap="sm" mt="xs">
        {ROLES.map((role) => {
          const { name, text } = texts.roles[role];
          return <Radio key={role} value={role} label={name} description={text} />;
        })}
      </Stack>
    </Radio.Group>
  );
}
