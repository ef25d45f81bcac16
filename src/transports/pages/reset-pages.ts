import { escapeHtml, toSingleLine } from "../../core/html";
import type { ResetLinkOwner } from "../../domain/password-reset/password-reset";
import { renderPage } from "./layout";

/** Errors of a submitted form, by field. */
export interface FormErrors {
  password?: string;
  repeat?: string;
}

/** The form to set a new password, with the errors of the last attempt. Passwords are never sent back. */
export function formPage(token: string, owner: ResetLinkOwner, problems: FormErrors = {}): string {
  const failed = problems.password !== undefined || problems.repeat !== undefined;
  const email = owner.email ?? "";
  const whose = email === "" ? "your account" : `<strong>${escapeHtml(email)}</strong>`;
  const application = escapeHtml(toSingleLine(owner.applicationName) || "your application");
  return renderPage({
    title: "Choose a new password",
    mark: "key",
    failed,
    content: `<p>For ${whose} at <strong>${application}</strong>.</p>
<form method="post" action="reset">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input class="alone" type="text" name="username" value="${escapeHtml(email)}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${field("password", "New password", problems.password, "At least 8 characters.")}
${field("repeat", "New password again", problems.repeat)}
<button type="submit">Set password</button>
</form>`,
  });
}

/** The page after the password was set. */
export function successPage(): string {
  return renderPage({
    title: "Your password is set",
    mark: "good",
    content: `<p>You have been signed out everywhere. Go back to the app and sign in with your new password.</p>
<p>You can close this page.</p>`,
  });
}

/** The page for an unknown, used or expired link. All three look the same. */
export function expiredLinkPage(): string {
  return renderPage({
    title: "This link no longer works",
    mark: "bad",
    content: `<p>A link works once, and for one hour. It may have been used already, or a newer one has taken its place.</p>
<p>Ask for a new one in the app.</p>`,
  });
}

/** The page for any other error. */
export function errorPage(title: string, text: string): string {
  return renderPage({ title, mark: "bad", content: `<p>${escapeHtml(text)}</p>` });
}

function field(
  name: keyof FormErrors,
  label: string,
  problem: string | undefined,
  hint?: string,
): string {
  const about = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(" ");
  const attributes = [
    `id="${name}" name="${name}" type="password" autocomplete="new-password" required minlength="8"`,
    'autocapitalize="none" spellcheck="false"',
    about && `aria-describedby="${about}"`,
    problem && 'aria-invalid="true"',
    // Both passwords must be typed again, so focus starts at the first field.
    name === "password" && "autofocus",
  ].filter(Boolean);
  return `<div class="field">
<label for="${name}">${label}</label>
<input ${attributes.join(" ")}>
${hint ? `<p class="hint" id="${name}-hint">${hint}</p>\n` : ""}${
  problem ? `<p class="problem" id="${name}-problem" role="alert">${escapeHtml(problem)}</p>\n` : ""
}</div>`;
}
