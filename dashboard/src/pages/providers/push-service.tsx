import { Alert, Badge, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../api/queries.ts";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { Details } from "../../components/details.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { formatDateTime } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import { reasonLabel } from "../push/push-labels.tsx";
import { pushStrings } from "../push/strings.ts";
import { CheckResult } from "./check-result.tsx";
import {
  type Common,
  type Credentials,
  credentialsOf,
  daysLeft,
  detailsOf,
  expiresSoon,
} from "./credential-details.tsx";
import {
  CheckPushCredentialsDocument,
  ClearPushCredentialsDocument,
  PushCredentialsDocument,
  type PushService,
} from "./providers.generated.ts";
import { SetCredentials } from "./set-credentials.tsx";
import { providersStrings } from "./strings.ts";

const texts = providersStrings;

/** The credentials for one push service: what is set, whether the service takes it, and how to change it. */
export function PushServiceSection({
  applicationId,
  service,
  credentials,
}: {
  applicationId: string;
  service: PushService;
  credentials: Credentials;
}) {
  const { canChange } = useRole();
  const [isSetting, setting] = useDisclosure();
  const [warning, setWarning] = useState<string | null>(null);
  const { environment } = credentials;
  const name = texts.services[service];
  const present = credentialsOf(credentials, service);
  const days = daysLeft(credentials, service);
  return (
    <Section
      title={name}
      lead={texts.serviceText[service]}
      actions={<StatusBadge present={present} days={days} />}
    >
      {present?.refusedSince && <Refusal present={present} name={name} />}
      {present && expiresSoon(days) && (
        <Alert color="orange" variant="light" p="sm">
          {texts.expiresSoon(days ?? 0)}
        </Alert>
      )}
      {present ? (
        <Details details={detailsOf(credentials, service)} />
      ) : (
        <Text size="sm">{texts.notSetText[service]}</Text>
      )}
      {warning && (
        <Alert role="status" color="orange" variant="light" p="sm">
          {warning}
        </Alert>
      )}
      {canChange && (
        <Actions
          scope={{ applicationId, environment, service }}
          isSet={present !== null}
          onSet={setting.open}
          onChange={() => setWarning(null)}
        />
      )}
      <SetCredentials
        scope={{ applicationId, environment, service }}
        isSet={present !== null}
        opened={isSetting}
        onClose={setting.close}
        onDone={setWarning}
      />
    </Section>
  );
}

/** Which credentials something is about. */
export interface Scope {
  applicationId: string;
  environment: Credentials["environment"];
  service: PushService;
}

function StatusBadge({ present, days }: { present: Common | null; days: number | null }) {
  const [color, label] =
    present === null
      ? ["gray", texts.status.notSet]
      : present.refusedSince
        ? ["red", texts.status.refused]
        : days !== null && days < 0
          ? ["red", texts.status.expired]
          : expiresSoon(days)
            ? ["orange", texts.status.expires]
            : ["green", texts.status.set];
  return (
    <Badge variant="light" color={color} tt="none" miw="max-content">
      {label}
    </Badge>
  );
}

function Refusal({ present, name }: { present: Common; name: string }) {
  const { refusedSince, refusedReason } = present;
  const words = refusedReason ? reasonLabel(refusedReason) : null;
  return (
    <Alert
      color="red"
      variant="light"
      title={texts.refusedSince(name, formatDateTime(refusedSince ?? ""))}
    >
      {words && <Text size="sm">{texts.refusedReason(words)}</Text>}
      {refusedReason && (
        <Text size={words ? "xs" : "sm"} style={{ overflowWrap: "anywhere" }}>
          {refusedReason}
        </Text>
      )}
      <Text size="sm">{texts.refusedText}</Text>
    </Alert>
  );
}

function Actions({
  scope,
  isSet,
  onSet,
  onChange,
}: {
  scope: Scope;
  isSet: boolean;
  onSet(): void;
  onChange(): void;
}) {
  const { service, environment } = scope;
  const name = texts.services[service];
  const [isClearing, clearing] = useDisclosure();
  const check = useChange(CheckPushCredentialsDocument, [PushCredentialsDocument]);
  const clear = useChange(ClearPushCredentialsDocument, [PushCredentialsDocument]);
  const result = check.data?.checkPushCredentials.checks[0];
  const reset = () => {
    check.reset();
    clear.reset();
    onChange();
  };
  const remove = () => {
    reset();
    clear.mutate(
      { input: scope },
      { onSuccess: () => notifications.show({ message: texts.cleared(name), color: "green" }) },
    );
  };
  const error = check.error ?? clear.error;
  return (
    <>
      {result && <CheckResult {...result} />}
      {error && <ErrorPanel error={error} />}
      <Group gap="xs">
        <Button
          variant={isSet ? "default" : "filled"}
          aria-label={isSet ? texts.replaceOf(name) : texts.setOf(name)}
          onClick={() => {
            reset();
            onSet();
          }}
        >
          {isSet ? texts.replace : texts.set}
        </Button>
        {isSet && (
          <>
            <Button
              variant="default"
              aria-label={texts.testOf(name)}
              loading={check.isPending}
              onClick={() => {
                reset();
                check.mutate({ input: scope });
              }}
            >
              {texts.test}
            </Button>
            <Button
              variant="subtle"
              color="red"
              aria-label={texts.clearOf(name)}
              loading={clear.isPending}
              onClick={clearing.open}
            >
              {texts.clear}
            </Button>
          </>
        )}
      </Group>
      <DestroyDialog
        opened={isClearing}
        onClose={clearing.close}
        title={texts.clearTitle(name)}
        lost={texts.clearLost(pushStrings.environments[environment], service === "WEB")}
        action={texts.clearSubmit}
        onConfirm={remove}
      />
    </>
  );
}
