import { Anchor, Button, Code, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useRef } from "react";
import { Link } from "react-router";
import { type Detail, Details } from "../../components/details.tsx";
import { formatExactTime } from "../../formats.ts";
import { strings } from "../../strings.ts";
import { applicationStrings } from "../applications/strings.ts";
import type { AuditSubject } from "./audit-filters.ts";
import {
  type AuditEntry,
  actionLabel,
  fieldLabel,
  otherTargets,
  resultLabel,
  targetLabel,
  valueLabel,
} from "./audit-labels.ts";
import { ResultBadge } from "./result-badge.tsx";
import { auditStrings } from "./strings.ts";
import type { AuditNames } from "./use-names.ts";

const texts = auditStrings;

/** Everything about an entry in plain words, beside the list. */
export function AuditDetails({
  entry,
  names,
  onClose,
  onFilter,
}: {
  /** Null while none is open. */
  entry: AuditEntry | null;
  names: AuditNames;
  onClose(): void;
  onFilter(subject: { kind: AuditSubject; value: string }): void;
}) {
  // The last one stays while the drawer closes.
  const last = useRef(entry);
  last.current = entry ?? last.current;
  const shown = last.current;
  return (
    <Drawer
      opened={entry !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={
        shown && (
          <Text component="span" fw={650} size="lg">
            {actionLabel(shown.action)}
          </Text>
        )
      }
    >
      {shown && <EntryDetails entry={shown} names={names} onFilter={onFilter} />}
    </Drawer>
  );
}

function EntryDetails({
  entry,
  names,
  onFilter,
}: {
  entry: AuditEntry;
  names: AuditNames;
  onFilter(subject: { kind: AuditSubject; value: string }): void;
}) {
  const { applicationId, memberId, action } = entry;
  return (
    <Stack gap="lg">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <ResultBadge entry={entry} />
        <Text size="sm">{resultLabel(entry)}</Text>
      </Group>
      <Details details={detailsOf(entry, names)} />
      <div>
        <Title order={3} size="h5" mb={4}>
          {texts.sent}
        </Title>
        {entry.fields.length === 0 ? (
          <Text size="sm" c="dimmed">
            {texts.nothingSent}
          </Text>
        ) : (
          <Details
            details={entry.fields.map((field) => ({
              title: fieldLabel(field.name),
              value: valueLabel(field),
            }))}
          />
        )}
      </div>
      <Group gap="xs">
        <Only onClick={() => onFilter({ kind: "member", value: memberId })}>
          {texts.onlyMember}
        </Only>
        {applicationId && (
          <Only onClick={() => onFilter({ kind: "application", value: applicationId })}>
            {texts.onlyApplication}
          </Only>
        )}
        <Only onClick={() => onFilter({ kind: "action", value: action })}>{texts.onlyAction}</Only>
      </Group>
    </Stack>
  );
}

function Only({ onClick, children }: { onClick(): void; children: string }) {
  return (
    <Button variant="default" size="xs" onClick={onClick}>
      {children}
    </Button>
  );
}

function detailsOf(entry: AuditEntry, names: AuditNames): Detail[] {
  const { email, role, apiKey, createdAt, ip, userAgent, requestId, applicationId, action } = entry;
  const others = otherTargets(entry);
  return [
    {
      title: texts.who,
      value: apiKey ? texts.apiKeyOf(apiKey.name, email) : texts.role(email, strings.roles[role]),
    },
    { title: texts.when, value: formatExactTime(createdAt) },
    ...(applicationId === null || applicationId === undefined
      ? []
      : [{ title: applicationStrings.kind, value: <Application {...{ applicationId, names }} /> }]),
    ...(others.length === 0
      ? []
      : [
          {
            title: texts.about,
            value: others.map((target) => (
              <Target key={`${target.name} ${target.id}`} {...{ target, action, applicationId }} />
            )),
          },
        ]),
    { title: texts.address, value: ip },
    { title: texts.program, value: userAgent ?? texts.programUnknown },
    { title: strings.common.requestId, value: <Code>{requestId}</Code> },
  ];
}

/** What an entry names, with a link to users, who have a page. */
function Target({
  target,
  action,
  applicationId,
}: {
  target: AuditEntry["targets"][number];
  action: string;
  applicationId: AuditEntry["applicationId"];
}) {
  const words = targetLabel(action, target);
  if (target.name !== "userId" || !applicationId) return <div>{words}</div>;
  return (
    <div>
      <Anchor component={Link} to={`/applications/${applicationId}/users/${target.id}`} size="sm">
        {words}
      </Anchor>
    </div>
  );
}

function Application({ applicationId, names }: { applicationId: string; names: AuditNames }) {
  const name = names.application(applicationId);
  if (!names.hasApplication(applicationId)) return <>{name}</>;
  return (
    <Anchor component={Link} to={`/applications/${applicationId}`} size="sm">
      {name}
    </Anchor>
  );
}
