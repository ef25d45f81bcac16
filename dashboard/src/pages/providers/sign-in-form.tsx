import { PasswordInput, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { MoreFields } from "../../components/more-fields.tsx";
import { useServiceForm } from "../../components/use-service-form.ts";
import { strings } from "../../strings.ts";
import { FormFrame } from "./form-parts.tsx";
import {
  SignInProvidersDocument,
  type SignInProvidersQuery,
  UpdateSignInProviderDocument,
} from "./sign-in.generated.ts";
import { type ProviderField, type ProviderRow, settingsOf } from "./sign-in-providers.ts";
import { providersStrings } from "./strings.ts";

const texts = providersStrings.signIn;

/** Sets or changes the settings of a sign-in provider. A secret that is left empty stays as it is. */
export function SignInForm({
  application,
  row,
  onClose,
}: {
  application: SignInProvidersQuery["application"];
  row: ProviderRow;
  onClose(): void;
}) {
  const { provider, group, fields } = row;
  const settings = settingsOf(application, row);
  const initialValues = Object.fromEntries(
    fields.map(({ name, isSecret }) => [name, isSecret ? "" : String(settings?.[name] ?? "")]),
  );
  const { form, ...frame } = useServiceForm<
    Record<string, string>,
    unknown,
    { input: { applicationId: string } }
  >({
    document: UpdateSignInProviderDocument as never,
    initialValues,
    path: `${group}.`,
    variables: (values) => ({
      input: {
        applicationId: application.id,
        [group]: changesOf(fields, values, settings !== null),
      },
    }),
    asks: (values) =>
      settings !== null && fields.some(({ name, isSecret }) => isSecret && values[name]?.trim()),
    outdated: [SignInProvidersDocument],
    onDone: () => {
      onClose();
      const name = texts.names[provider];
      notifications.show({ message: providersStrings.saved(name), color: "green" });
    },
  });
  const rare = fields.filter(({ isRare }) => isRare);
  const input = ({ name, isSecret }: ProviderField) => {
    const [label, description] = texts.fields[name];
    const props = { label, autoComplete: "off", ...form.getInputProps(name) };
    if (!isSecret) return <TextInput key={name} description={description} {...props} />;
    return (
      <PasswordInput
        key={name}
        description={settings ? texts.keepSecret : description}
        visibilityToggleButtonProps={{ "aria-label": strings.secret.reveal(label) }}
        {...props}
        autoComplete="new-password"
      />
    );
  };
  return (
    <FormFrame
      {...frame}
      title={texts.replaceTitle(texts.names[provider])}
      lost={texts.replaceLost}
    >
      {fields.filter(({ isRare }) => !isRare).map(input)}
      <MoreFields errors={form.errors} names={rare.map(({ name }) => name)}>
        {rare.map(input)}
      </MoreFields>
    </FormFrame>
  );
}

/** The settings to store: an empty text removes one, except a secret that is set already. */
function changesOf(
  fields: readonly ProviderField[],
  values: Record<string, string>,
  isSet: boolean,
): Record<string, string | null> {
  return Object.fromEntries(
    fields.flatMap(({ name, isSecret }) => {
      const value = values[name]?.trim() ?? "";
      return isSecret && isSet && value === "" ? [] : [[name, value || null]];
    }),
  );
}
