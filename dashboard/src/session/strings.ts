import { counted } from "../formats.ts";

/** Texts of the sign-in. */
export const signInStrings = {
  title: "Sign in",
  lead: "Manage your applications.",
  email: "E-mail",
  password: "Password",
  submit: "Sign in",
  missingEmail: "Enter the e-mail address of your account.",
  missingPassword: "Enter your password.",
  forgotten: "Forgot the password?",
  forgottenText:
    "An owner can remove you and invite you again. The person who runs the server finds the first owner's password in owner.json in the data folder, unless it has been changed since, and replaces a lost password with: npx signalbox member reset-password",
  signedOut: "You have signed out.",
  expiredTitle: "Sign in again",
  expired: "Your session has ended. Sign in to continue: what you have typed is still here.",
  wait: (seconds: number) => `You can try again in ${counted(seconds, "second", "seconds")}.`,
  leave: "Leave without saving",
};

/** Texts of the page of an invitation. */
export const invitationStrings = {
  title: "Accept the invitation",
  lead: "Choose a password. You then sign in with your e-mail address and this password.",
  password: "Password",
  passwordText: "At least 8 characters.",
  repeat: "Password again",
  missing: "Choose a password.",
  different: "The two passwords are not the same.",
  submit: "Accept and sign in",
  dead: "A link works once, and for one day. Ask the person who invited you for another one.",
  leave: "Not now",
};
