import { useMemo } from "react";
import { useOperation } from "../../api/queries.ts";
import { useAccount } from "../../session/use-account.ts";
import { AuditMembersDocument } from "./audit-members.generated.ts";
import { auditStrings } from "./strings.ts";

const texts = auditStrings;

/** A choice of a filter. */
export interface Choice {
  value: string;
  label: string;
}

/** Names of what entries are about, as far as it still exists. */
export interface AuditNames {
  applications: readonly Choice[];
  members: readonly Choice[];
  application(id: string): string;
  /** Whether an application still exists. */
  hasApplication(id: string): boolean;
}

/** The applications and members of the account by name. */
export function useNames(): AuditNames {
  const { data } = useAccount();
  const { data: memberData } = useOperation(AuditMembersDocument, {});
  return useMemo(() => {
    const applications = (data?.account.applications ?? []).map(({ id, name }) => ({
      value: id,
      label: name,
    }));
    const names = new Map(applications.map(({ value, label }) => [value, label]));
    const members = (memberData?.account.members ?? []).map(({ id, email, isCurrent }) => ({
      value: id,
      label: isCurrent ? texts.you(email) : email,
    }));
    return {
      applications,
      members,
      application: (id) => names.get(id) ?? texts.applicationById(id),
      hasApplication: (id) => names.has(id),
    };
  }, [data, memberData]);
}
