import { PasswordInput, Select, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useServiceForm } from "../../components/use-service-form.ts";
import { strings } from "../../strings.ts";
import { FormFrame } from "./form-parts.tsx";
import {
  type JwtAlgorithm,
  type JwtSubject,
  SignInProvidersDocument,
  type SignInProvidersQuery,
  UpdateSignInProviderDocument,
} from "./sign-in.generated.ts";
import { providersStrings } from "./strings.ts";

const texts = providersStrings.jwt;
const ALGORITHMS: readonly JwtAlgorithm[] = ["HS256", "RS256", "ES256"];
const SUBJECTS: readonly JwtSubject[] = ["LOGIN", "EXTERNAL_ID", "USER_ID"];

/** Sets or changes how the backend signs JWTs. A key that is left empty stays as it is. */
export function JwtForm({
  application: { id: applicationId, jwt },
  onClose,
}: {
  application: SignInProvidersQuery["application"];
  onClose(): void;
}) {
  const { form, ...frame } = useServiceForm({
    document: UpdateSignInProviderDocument,
    initialValues: {
      algorithm: jwt?.algorithm ?? ("HS256" as JwtAlgorithm),
      subject: jwt?.subject ?? ("LOGIN" as JwtSubject),
      secret: "",
      jwksUrl: jwt?.jwksUrl ?? "",
    },
    path: "jwt.",
    variables: ({ algorithm, subject, secret, jwksUrl }) => ({
      input: {
        applicationId,
        jwt: {
          algorithm,
          subject,
          ...(algorithm === "HS256" ? secret && { secret } : { jwksUrl: jwksUrl.trim() }),
        },
      },
    }),
    asks: ({ algorithm, secret }) =>
      jwt?.secretSet === true && (algorithm !== "HS256" || secret !== ""),
    outdated: [SignInProvidersDocument],
    onDone: () => {
      onClose();
      notifications.show({ message: providersStrings.saved(texts.title), color: "green" });
    },
  });
  const isHmac = form.values.algorithm === "HS256";
  return (
    <FormFrame {...frame} title={texts.replaceTitle} lost={texts.replaceLost}>
      <Select
        label={texts.algorithm}
        description={texts.algorithmText}
        data={ALGORITHMS.map((value) => ({ value, label: texts.algorithms[value] }))}
        allowDeselect={false}
        {...form.getInputProps("algorithm")}
      />
      <Select
        label={texts.subject}
        description={texts.subjectText}
        data={SUBJECTS.map((value) => ({ value, label: texts.subjects[value] }))}
        allowDeselect={false}
        {...form.getInputProps("subject")}
      />
      {isHmac ? (
        <PasswordInput
          label={texts.secret}
          description={jwt?.secretSet ? providersStrings.signIn.keepSecret : texts.secretText}
          visibilityToggleButtonProps={{ "aria-label": strings.secret.reveal(texts.secret) }}
          {...form.getInputProps("secret")}
          autoComplete="new-password"
        />
      ) : (
        <TextInput
          label={texts.jwksUrl}
          description={texts.jwksUrlText}
          autoComplete="off"
          {...form.getInputProps("jwksUrl")}
        />
      )}
    </FormFrame>
  );
}
