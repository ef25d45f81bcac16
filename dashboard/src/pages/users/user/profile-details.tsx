import { SimpleGrid } from "@mantine/core";
import { Details } from "../../../components/details.tsx";
import { Section } from "../../../components/section.tsx";
import { strings } from "../../../strings.ts";
import { offsetText } from "./profile-fields.ts";
import { userStrings } from "./strings.ts";
import type { UserProfileFieldsFragment } from "./user.generated.ts";

const texts = userStrings;

/** The profile for members who only read: what is known, without what is not. */
export function ProfileDetails({ user }: { user: UserProfileFieldsFragment }) {
  const { timezone, tags } = user;
  const who = [
    { title: texts.fullName, value: user.fullName },
    { title: texts.login, value: user.login },
    { title: texts.email, value: user.email },
    { title: texts.phone, value: user.phone },
    { title: texts.website, value: user.website },
    {
      title: texts.timezone,
      value: timezone == null ? null : texts.timezoneValue(offsetText(timezone)),
    },
    { title: texts.tags, value: tags.join(", ") },
  ];
  const systems = [
    { title: texts.externalId, value: user.externalId },
    { title: texts.facebookId, value: user.facebookId },
    { title: texts.twitterId, value: user.twitterId },
    { title: texts.avatar, value: user.avatar },
    { title: texts.customData, value: user.customData },
  ];
  const known = (details: typeof who) =>
    details.map(({ title, value }) => ({ title, value: value || strings.common.none }));
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Section title={texts.who}>
        <Details details={known(who)} />
      </Section>
      <Section title={texts.appData}>
        <Details details={known(systems)} />
      </Section>
    </SimpleGrid>
  );
}
