-- CreateEnum
CREATE TYPE "push_channel" AS ENUM ('apns', 'apns_voip', 'gcm', 'web');

-- CreateEnum
CREATE TYPE "push_environment" AS ENUM ('development', 'production');

-- CreateEnum
CREATE TYPE "push_platform" AS ENUM ('ios', 'android', 'web');

-- CreateEnum
CREATE TYPE "push_event_type" AS ENUM ('one_shot', 'fixed_date', 'period_date');

-- CreateEnum
CREATE TYPE "push_outcome" AS ENUM ('pending', 'accepted', 'gone', 'later', 'refused');

-- CreateEnum
CREATE TYPE "call_state" AS ENUM ('ringing', 'accepted', 'rejected', 'hung_up', 'missed', 'failed');

-- CreateTable
CREATE TABLE "accounts" (
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "account_key" TEXT NOT NULL,
    "email" TEXT,
    "password_hash" TEXT,
    "api_endpoint" TEXT,
    "chat_endpoint" TEXT,
    "turnserver_endpoint" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "applications" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "auth_key" TEXT NOT NULL,
    "auth_secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "v1_list_disabled" BOOLEAN NOT NULL DEFAULT true,
    "sign_up_open" BOOLEAN NOT NULL DEFAULT true,
    "web_origins" TEXT[],
    "settings" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "applications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" BIGSERIAL NOT NULL,
    "application_id" BIGINT NOT NULL,
    "login" TEXT,
    "login_key" TEXT,
    "email" TEXT,
    "email_key" TEXT,
    "password_hash" TEXT,
    "external_id" TEXT,
    "external_user_id" TEXT,
    "facebook_id" TEXT,
    "twitter_id" TEXT,
    "full_name" TEXT,
    "phone" TEXT,
    "website" TEXT,
    "custom_data" TEXT,
    "avatar" TEXT,
    "blob_id" BIGINT,
    "timezone" INTEGER,
    "is_guest" BOOLEAN NOT NULL DEFAULT false,
    "last_request_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_tags" (
    "user_id" BIGINT NOT NULL,
    "application_id" BIGINT NOT NULL,
    "tag" TEXT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "user_tags_pkey" PRIMARY KEY ("user_id","tag")
);

-- CreateTable
CREATE TABLE "identities" (
    "id" BIGSERIAL NOT NULL,
    "application_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "provider" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" BIGSERIAL NOT NULL,
    "application_id" BIGINT NOT NULL,
    "user_id" BIGINT,
    "token_hash" BYTEA NOT NULL,
    "nonce" BIGINT NOT NULL,
    "ts" BIGINT NOT NULL,
    "web" BOOLEAN NOT NULL DEFAULT false,
    "binding_code_hash" BYTEA,
    "sliding" BOOLEAN NOT NULL DEFAULT true,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_activity_at" TIMESTAMPTZ(3) NOT NULL,
    "ip" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "nonces" (
    "application_id" BIGINT NOT NULL,
    "ts" BIGINT NOT NULL,
    "nonce" BIGINT NOT NULL,

    CONSTRAINT "nonces_pkey" PRIMARY KEY ("application_id","ts","nonce")
);

-- CreateTable
CREATE TABLE "push_subscriptions" (
    "id" BIGSERIAL NOT NULL,
    "application_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "channel" "push_channel" NOT NULL,
    "environment" "push_environment" NOT NULL,
    "platform" "push_platform" NOT NULL,
    "udid" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "bundle_id" TEXT,
    "web_auth" TEXT,
    "web_p256dh" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_events" (
    "id" BIGSERIAL NOT NULL,
    "application_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "event_type" "push_event_type" NOT NULL DEFAULT 'one_shot',
    "channel" "push_channel" NOT NULL,
    "environment" "push_environment" NOT NULL,
    "message" TEXT NOT NULL,
    "name" TEXT,
    "date" TIMESTAMPTZ(3),
    "end_date" TIMESTAMPTZ(3),
    "period" INTEGER,
    "selector" JSONB NOT NULL,
    "tag_query" TEXT,
    "occured_count" INTEGER NOT NULL DEFAULT 0,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "kind" TEXT NOT NULL DEFAULT 'API',
    "idempotency_key" TEXT,
    "next_run_at" TIMESTAMPTZ(3),
    "expanded_to" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_deliveries" (
    "id" BIGSERIAL NOT NULL,
    "event_id" BIGINT NOT NULL,
    "subscription_id" BIGINT,
    "occurrence" INTEGER NOT NULL DEFAULT 0,
    "outcome" "push_outcome" NOT NULL DEFAULT 'pending',
    "reason" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "provider_id" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "calls" (
    "id" BIGSERIAL NOT NULL,
    "application_id" BIGINT NOT NULL,
    "session_id" TEXT NOT NULL,
    "caller_id" BIGINT,
    "call_type" INTEGER,
    "state" "call_state" NOT NULL DEFAULT 'ringing',
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "accepted_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "call_participants" (
    "call_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "state" "call_state" NOT NULL DEFAULT 'ringing',
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "call_participants_pkey" PRIMARY KEY ("call_id","user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_account_key_key" ON "accounts"("account_key");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_email_key" ON "accounts"("email");

-- CreateIndex
CREATE INDEX "applications_account_id_idx" ON "applications"("account_id");

-- CreateIndex
CREATE INDEX "users_login_prefix_idx" ON "users"("application_id", "login_key" text_pattern_ops);

-- CreateIndex
CREATE INDEX "users_email_prefix_idx" ON "users"("application_id", "email_key" text_pattern_ops);

-- CreateIndex
CREATE INDEX "users_external_id_prefix_idx" ON "users"("application_id", "external_id" text_pattern_ops);

-- CreateIndex
CREATE INDEX "users_facebook_id_idx" ON "users"("application_id", "facebook_id" text_pattern_ops);

-- CreateIndex
CREATE INDEX "users_twitter_id_idx" ON "users"("application_id", "twitter_id" text_pattern_ops);

-- CreateIndex
CREATE INDEX "users_full_name_idx" ON "users"("application_id", "full_name" text_pattern_ops);

-- CreateIndex
CREATE INDEX "users_phone_idx" ON "users"("application_id", "phone" text_pattern_ops);

-- CreateIndex
CREATE INDEX "users_application_id_id_idx" ON "users"("application_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "users_application_id_login_key_key" ON "users"("application_id", "login_key");

-- CreateIndex
CREATE UNIQUE INDEX "users_application_id_email_key_key" ON "users"("application_id", "email_key");

-- CreateIndex
CREATE UNIQUE INDEX "users_application_id_external_id_key" ON "users"("application_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "users_application_id_external_user_id_key" ON "users"("application_id", "external_user_id");

-- CreateIndex
CREATE INDEX "user_tags_tag_idx" ON "user_tags"("application_id", "tag" text_pattern_ops, "user_id");

-- CreateIndex
CREATE INDEX "identities_user_id_idx" ON "identities"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "identities_application_id_provider_subject_key" ON "identities"("application_id", "provider", "subject");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_token_hash_key" ON "sessions"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_binding_code_hash_key" ON "sessions"("binding_code_hash");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_application_id_idx" ON "sessions"("application_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE INDEX "nonces_ts_idx" ON "nonces"("ts");

-- CreateIndex
CREATE UNIQUE INDEX "push_subscriptions_user_id_udid_channel_environment_key" ON "push_subscriptions"("user_id", "udid", "channel", "environment");

-- CreateIndex
CREATE UNIQUE INDEX "push_subscriptions_application_id_channel_environment_token_key" ON "push_subscriptions"("application_id", "channel", "environment", "token");

-- CreateIndex
CREATE INDEX "push_events_user_id_id_idx" ON "push_events"("user_id", "id");

-- CreateIndex
CREATE INDEX "push_events_application_id_idx" ON "push_events"("application_id");

-- CreateIndex
CREATE INDEX "push_events_active_next_run_at_idx" ON "push_events"("active", "next_run_at");

-- CreateIndex
CREATE UNIQUE INDEX "push_events_user_id_idempotency_key_channel_key" ON "push_events"("user_id", "idempotency_key", "channel");

-- CreateIndex
CREATE INDEX "push_deliveries_subscription_id_idx" ON "push_deliveries"("subscription_id");

-- CreateIndex
CREATE INDEX "push_deliveries_outcome_due_at_idx" ON "push_deliveries"("outcome", "due_at");

-- CreateIndex
CREATE UNIQUE INDEX "push_deliveries_event_id_subscription_id_occurrence_key" ON "push_deliveries"("event_id", "subscription_id", "occurrence");

-- CreateIndex
CREATE INDEX "calls_caller_id_idx" ON "calls"("caller_id");

-- CreateIndex
CREATE UNIQUE INDEX "calls_application_id_session_id_key" ON "calls"("application_id", "session_id");

-- CreateIndex
CREATE INDEX "call_participants_user_id_call_id_idx" ON "call_participants"("user_id", "call_id");

-- AddForeignKey
ALTER TABLE "applications" ADD CONSTRAINT "applications_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_tags" ADD CONSTRAINT "user_tags_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_tags" ADD CONSTRAINT "user_tags_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "nonces" ADD CONSTRAINT "nonces_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_events" ADD CONSTRAINT "push_events_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_events" ADD CONSTRAINT "push_events_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_deliveries" ADD CONSTRAINT "push_deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "push_events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_deliveries" ADD CONSTRAINT "push_deliveries_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "push_subscriptions"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calls" ADD CONSTRAINT "calls_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "call_participants" ADD CONSTRAINT "call_participants_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "calls"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "call_participants" ADD CONSTRAINT "call_participants_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
