import { ArrowTopRightOnSquareIcon } from "@heroicons/react/24/outline";
import { Alert, Button, Group, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { EXPLORERS, hasExplorer } from "../../api/explorer-tab.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { useAccount, useRole } from "../../session/use-account.ts";
import { Page } from "../../shell/page.tsx";
import { explorerStrings } from "./strings.ts";
import { applicationToken, ownToken, useExplorer } from "./use-explorer.ts";

const texts = explorerStrings;
/** The choice of the member's own token, beside the ids of applications. */
const OWN = "own";

/** GraphiQL and the reference of the REST API, which open in tabs of their own with a token. */
export function Component() {
  return (
    <Page title={texts.title} lead={texts.lead}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <GraphqlCard />
        <RestCard />
      </SimpleGrid>
      <Text size="sm" c="dimmed" maw={720}>
        {texts.aboutToken}
      </Text>
    </Page>
  );
}

/** The member in words; null until it is known. */
function useMemberLabel(): string | null {
  const member = useAccount().data?.currentMember;
  return member ? texts.member(member.email, texts.roles[member.role]) : null;
}

function GraphqlCard() {
  const member = useMemberLabel();
  const { open, isOpening, error } = useExplorer();
  if (!hasExplorer("graphiql")) return <TurnedOff title={texts.graphql} />;
  return (
    <Section title={texts.graphql}>
      <Text size="sm">{texts.graphqlText}</Text>
      {error && <ErrorPanel error={error} />}
      <Group>
        <Button
          disabled={member === null}
          loading={isOpening}
          onClick={() => void open(EXPLORERS.graphiql, () => ownToken(member ?? ""))}
          rightSection={<ArrowTopRightOnSquareIcon width={18} aria-hidden />}
        >
          {texts.openGraphql}
        </Button>
      </Group>
    </Section>
  );
}

function RestCard() {
  const member = useMemberLabel();
  const { data } = useAccount();
  const { canChange } = useRole();
  const { open, isOpening, error } = useExplorer();
  const applications = canChange ? (data?.account.applications ?? []) : [];
  const [chosen, setChosen] = useState<string | null>(null);
  const runAs = chosen ?? applications[0]?.id ?? OWN;
  if (!hasExplorer("docs")) return <TurnedOff title={texts.rest} />;
  const obtain = () => {
    const application = applications.find(({ id }) => id === runAs);
    return application
      ? applicationToken(runAs, texts.application(application.name, member ?? ""))
      : ownToken(member ?? "");
  };
  const email = data?.currentMember.email ?? "";
  return (
    <Section title={texts.rest}>
      <Text size="sm">{canChange ? texts.restText : texts.restTextReader}</Text>
      {applications.length > 0 && (
        <Select
          label={texts.runAs}
          data={[
            ...applications.map(({ id, name }) => ({
              value: id,
              label: texts.runAsApplication(name),
            })),
            { value: OWN, label: texts.runAsMember(email) },
          ]}
          value={runAs}
          onChange={setChosen}
          searchable={applications.length > 8}
          limit={200}
          allowDeselect={false}
        />
      )}
      {error && <ErrorPanel error={error} />}
      <Group>
        <Button
          disabled={member === null}
          loading={isOpening}
          onClick={() => void open(EXPLORERS.docs, obtain)}
          rightSection={<ArrowTopRightOnSquareIcon width={18} aria-hidden />}
        >
          {texts.openRest}
        </Button>
      </Group>
    </Section>
  );
}

function TurnedOff({ title }: { title: string }) {
  return (
    <Section title={title}>
      <Stack>
        <Alert color="gray">{texts.off}</Alert>
      </Stack>
    </Section>
  );
}
