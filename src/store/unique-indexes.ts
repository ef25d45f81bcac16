/**
 * The fields of every unique index and primary key, by index name, since PostgreSQL errors contain only the
 * name. test/contract/store.test.ts checks this list against the database.
 */
export const UNIQUE_INDEXES: Readonly<Record<string, readonly string[]>> = {
  accounts_pkey: ["id"],
  accounts_account_key_key: ["accountKey"],
  accounts_email_key: ["email"],
  account_sessions_pkey: ["id"],
  account_sessions_token_hash_key: ["tokenHash"],
  applications_pkey: ["id"],
  users_pkey: ["id"],
  users_application_id_login_key_key: ["applicationId", "loginKey"],
  users_application_id_email_key_key: ["applicationId", "emailKey"],
  users_application_id_external_id_key: ["applicationId", "externalId"],
  users_application_id_external_user_id_key: ["applicationId", "externalUserId"],
  password_resets_pkey: ["id"],
  password_resets_token_hash_key: ["tokenHash"],
  user_tags_pkey: ["userId", "tag"],
  identities_pkey: ["id"],
  identities_application_id_provider_subject_key: ["applicationId", "provider", "subject"],
  sessions_pkey: ["id"],
  sessions_token_hash_key: ["tokenHash"],
  sessions_binding_code_hash_key: ["bindingCodeHash"],
  nonces_pkey: ["applicationId", "ts", "nonce"],
  push_subscriptions_pkey: ["id"],
  push_subscriptions_user_id_udid_channel_environment_key: [
    "userId",
    "udid",
    "channel",
    "environment",
  ],
  // The index also covers the hash of the token.
  push_subscriptions_token_key: ["applicationId", "channel", "environment"],
  push_events_pkey: ["id"],
  push_events_user_id_idempotency_key_channel_key: ["userId", "idempotencyKey", "channel"],
  push_credentials_pkey: ["id"],
  push_credentials_application_id_environment_service_key: [
    "applicationId",
    "environment",
    "service",
  ],
  push_deliveries_pkey: ["id"],
  push_deliveries_subscription_id_event_id_occurrence_key: [
    "subscriptionId",
    "eventId",
    "occurrence",
  ],
  calls_pkey: ["id"],
  calls_application_id_session_id_caller_id_key: ["applicationId", "sessionId", "callerId"],
  call_participants_pkey: ["callId", "userId"],
};
