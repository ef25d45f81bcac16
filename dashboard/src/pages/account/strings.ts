/** Texts of the page of the account. */
export const accountStrings = {
  title: "Account",
  lead: "Who may manage your applications, and how you sign in.",
  tabsLabel: "Parts of the account",
  tabs: { members: "Members", profile: "My profile", details: "Settings" },

  membersText: "Everybody who may sign in here, with what each may do.",
  membersReadOnly: "Everybody who may sign in here. Only an owner may change this list.",
  membersLabel: "Members of the account",
  member: "Member",
  you: "you",
  email: "E-mail",
  role: "Role",
  lastActive: "Last active",
  joined: "Joined",
  actions: "Actions",
  onlyOwner: "the only owner",
  /** What a role may do, of others and of the member who reads it. */
  roles: {
    SUPPORT: {
      name: "Support",
      text: "Looks at everything except secrets: statistics, users, calls, pushes and the audit log. Changes nothing.",
      yours:
        "You may look at everything except secrets: statistics, users, calls, pushes and the audit log. You change nothing but your own sign-in.",
    },
    DEVELOPER: {
      name: "Developer",
      text: "Also creates and changes applications and their data: settings, keys, users, pushes, conferences. Sees secrets.",
      yours:
        "You may look at everything, and create and change applications and their data: settings, keys, users, pushes and conferences.",
    },
    OWNER: {
      name: "Owner",
      text: "Also invites and removes members, changes roles and the account, and deletes applications.",
      yours:
        "You may do everything: also invite and remove members, change the account, and delete applications.",
    },
  } as const,

  changeRole: "Change role",
  changeRoleOf: (email: string) => `Change role of ${email}`,
  changeTitle: (email: string) => `Change the role of ${email}`,
  changeSubmit: "Change role",
  chooseRole: "Choose another role.",
  greaterRole: (isYou: boolean) =>
    isYou ? "Your new role counts at once." : "The new role counts at once, with the next click.",
  lesserRole: (isYou: boolean) =>
    isYou
      ? "You lose rights at once, and only another owner can give them back. Your live connections close, and those that the new role allows open again. If you become a support member, API keys that you created stop working at once."
      : "The member loses rights at once: their live connections close, and those that the new role allows open again. If they become a support member, API keys that they created stop working at once: replace those keys first. They stay signed in.",
  roleChanged: (email: string, role: string) => `The role of ${email} is now ${role}.`,

  remove: "Remove",
  removeMember: (email: string) => `Remove ${email}`,
  removeTitle: (email: string) => `Remove ${email}`,
  removeLost: [
    "They are signed out everywhere at once, and what they have open closes.",
    "They can come back only by a new invitation.",
    "API keys that they created stop working at once: backends that use them are refused. Replace those keys first.",
    "Applications and settings that they changed stay, and so do their entries in the audit log.",
    "They may have copied secrets: replace those that they have seen.",
  ],
  removeSubmit: "Remove the member",
  removed: (email: string) => `${email} is no longer a member.`,
  leave: "Leave",
  leaveTitle: "Leave the account",
  leaveLost: [
    "You are signed out everywhere at once.",
    "You can come back only if another owner invites you.",
    "API keys that you created stop working at once: backends that use them are refused. Replace those keys first.",
    "Applications and settings that you changed stay, and so do your entries in the audit log.",
  ],
  leaveSubmit: "Leave the account",

  invite: "Invite a member",
  inviteTitle: "Invite a member",
  inviteText:
    "They choose a password at a link, which works once, and for one day. You see the link next, and they get it by mail if this server sends mail.",
  inviteMissing: "Enter an e-mail address.",
  inviteSubmit: "Invite",
  invited: (email: string) => `${email} is invited`,
  /** What happens to the mail. */
  invitationMail: {
    QUEUED: "A mail with the link is on its way. You can also pass the link on yourself.",
    WRITTEN_TO_FILE:
      "No mail was sent, since this server has no mail server (SMTP_URL): it wrote the mail to a file in the folder mail of its data folder. Pass the link on yourself.",
    NOT_SENT:
      "No mail was sent, since this server has no mail server (SMTP_URL). Pass the link on yourself.",
  } as const,
  invitationLink: "Link of the invitation",
  invitationLinkText:
    "It is shown only now. The first person who opens it becomes the member, so give it to nobody else.",
  invitations: "Open invitations",
  invitationsText: "Invite an address again to get another link. The earlier one stops working.",
  expires: "Expires",
  invitedBy: "Invited by",
  invitedAt: "Invited",
  noInvitations: "No open invitations",
  noInvitationsText: "Invite a member: the invitation stays here until it is accepted.",
  noInvitationsReadOnly:
    "When an owner invites somebody, the invitation stays here until it is accepted.",
  revoke: "Withdraw",
  revokeOf: (email: string) => `Withdraw the invitation to ${email}`,
  revokeTitle: "Withdraw the invitation",
  revokeText: (email: string) =>
    `The link of the invitation to ${email} stops working. You can invite the address again.`,
  revokeSubmit: "Withdraw",
  revoked: (email: string) => `The invitation to ${email} is withdrawn.`,

  yourRole: "Your role",
  emailTitle: "E-mail address",
  emailText: "You sign in with it, and others see it in the lists of members and changes.",
  emailMissing: "Enter your e-mail address.",
  emailSubmit: "Change the address",
  emailChanged: (email: string) => `You now sign in with ${email}.`,
  passwordTitle: "Password",
  passwordText: "A new password ends your sessions in other browsers. This one stays signed in.",
  oldPassword: "Current password",
  oldPasswordText: "So that nobody takes over the account from an open page.",
  oldPasswordMissing: "Enter your current password.",
  password: "New password",
  passwordMissing: "Choose a new password.",
  repeat: "New password again",
  passwordSubmit: "Change the password",
  passwordChanged: "The password is changed. Your other sessions have ended.",
  everywhere: "Sign out everywhere",
  everywhereText: "If you have left a browser signed in, or somebody may have your session.",
  everywhereOpen: "Sign out everywhere …",
  everywhereAsk:
    "All your sessions end at once, in every browser and program, also this one. You then sign in again with your password.",
  everywhereSubmit: "Sign out",

  detailsTitle: "Account",
  detailsReadOnly: "Only an owner may change these.",
  detailsSaved: "The account is saved.",
  name: "Name",
  nameText: "Members see it in the account menu, and in invitations.",
  nameMissing: "Enter a name.",
  accountKeyText: "Apps find the servers below with it (account_settings). It is no secret.",
  endpoints: "Servers of your own",
  endpointsText:
    "Apps that ask for account_settings connect to these. Leave them empty to use this deployment.",
  endpointDefault: "this deployment",
  endpointNames: {
    apiEndpoint: { label: "API server", text: "With its scheme: https://api.example.com" },
    chatEndpoint: { label: "Chat server", text: "A host name: chat.example.com" },
    turnserverEndpoint: {
      label: "STUN and TURN server",
      text: "A host name or an address: turn.example.com",
    },
  } as const,
};
