-- CreateIndex: a search of blocked users, who are few among those whose login or e-mail begins alike. Prisma cannot
-- express the conditions. With IS NOT NULL the indexes serve searches alone: without it, the planner may read all
-- blocked users to find one.
CREATE INDEX "users_blocked_login_idx" ON "users"("application_id", "login_key" text_pattern_ops)
  WHERE "blocked_at" IS NOT NULL AND "login_key" IS NOT NULL;
CREATE INDEX "users_blocked_email_idx" ON "users"("application_id", "email_key" text_pattern_ops)
  WHERE "blocked_at" IS NOT NULL AND "email_key" IS NOT NULL;
