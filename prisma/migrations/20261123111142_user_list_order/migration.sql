-- Creates ten indexes on users, which takes about a second for each 100,000 users. Until then writes to users wait.

-- CreateIndex
CREATE INDEX "users_application_id_login_key_id_idx" ON "users"("application_id", "login_key", "id");

-- CreateIndex
CREATE INDEX "users_application_id_email_key_id_idx" ON "users"("application_id", "email_key", "id");

-- CreateIndex
CREATE INDEX "users_application_id_full_name_id_idx" ON "users"("application_id", "full_name", "id");

-- CreateIndex
CREATE INDEX "users_application_id_phone_id_idx" ON "users"("application_id", "phone", "id");

-- CreateIndex
CREATE INDEX "users_application_id_external_id_id_idx" ON "users"("application_id", "external_id", "id");

-- CreateIndex
CREATE INDEX "users_application_id_facebook_id_id_idx" ON "users"("application_id", "facebook_id", "id");

-- CreateIndex
CREATE INDEX "users_application_id_twitter_id_id_idx" ON "users"("application_id", "twitter_id", "id");

-- CreateIndex: the user list compares and sorts times by their second. Prisma cannot express these indexes.
CREATE INDEX "users_created_second_idx" ON "users"("application_id", (date_trunc('second', "created_at" AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'), "id");
CREATE INDEX "users_updated_second_idx" ON "users"("application_id", (date_trunc('second', "updated_at" AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'), "id");
CREATE INDEX "users_last_request_second_idx" ON "users"("application_id", (date_trunc('second', "last_request_at" AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'), "id");
