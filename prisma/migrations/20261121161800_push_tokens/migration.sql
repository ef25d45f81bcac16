-- DropIndex
DROP INDEX "push_subscriptions_application_id_channel_environment_token_key";

-- CreateIndex: a token belongs to one user at a time. On its hash, since an index takes 2,704 bytes at
-- most. Tokens are ASCII without a backslash, so that the cast to bytea takes them as they are.
CREATE UNIQUE INDEX "push_subscriptions_token_key" ON "push_subscriptions"("application_id", "channel", "environment", sha256("token"::bytea));
