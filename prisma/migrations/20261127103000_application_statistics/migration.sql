-- CreateTable
CREATE TABLE "application_statistics" (
    "application_id" BIGINT NOT NULL,
    "seconds" INTEGER NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "requests" BIGINT NOT NULL DEFAULT 0,
    "signals" BIGINT NOT NULL DEFAULT 0,
    "sign_ups" BIGINT NOT NULL DEFAULT 0,
    "sign_ins" BIGINT NOT NULL DEFAULT 0,
    "failed_sign_ins" BIGINT NOT NULL DEFAULT 0,
    "calls" BIGINT NOT NULL DEFAULT 0,
    "conferences" BIGINT NOT NULL DEFAULT 0,
    "pushes_accepted" BIGINT NOT NULL DEFAULT 0,
    "pushes_unregistered" BIGINT NOT NULL DEFAULT 0,
    "pushes_failed" BIGINT NOT NULL DEFAULT 0,
    "pushes_retried" BIGINT NOT NULL DEFAULT 0,
    "errors_malformed" BIGINT NOT NULL DEFAULT 0,
    "errors_unauthenticated" BIGINT NOT NULL DEFAULT 0,
    "errors_forbidden" BIGINT NOT NULL DEFAULT 0,
    "errors_not_found" BIGINT NOT NULL DEFAULT 0,
    "errors_conflict" BIGINT NOT NULL DEFAULT 0,
    "errors_full" BIGINT NOT NULL DEFAULT 0,
    "errors_too_large" BIGINT NOT NULL DEFAULT 0,
    "errors_invalid" BIGINT NOT NULL DEFAULT 0,
    "errors_limited" BIGINT NOT NULL DEFAULT 0,
    "errors_internal" BIGINT NOT NULL DEFAULT 0,
    "errors_unsupported" BIGINT NOT NULL DEFAULT 0,
    "errors_unavailable" BIGINT NOT NULL DEFAULT 0,
    "sockets_graphql" INTEGER NOT NULL DEFAULT 0,
    "sockets_xmpp" INTEGER NOT NULL DEFAULT 0,
    "sockets_janus" INTEGER NOT NULL DEFAULT 0,
    "sessions" INTEGER,

    CONSTRAINT "application_statistics_pkey" PRIMARY KEY ("application_id","seconds","starts_at")
);

-- CreateTable
CREATE TABLE "statistics_nodes" (
    "id" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "statistics_nodes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "application_sockets" (
    "node_id" TEXT NOT NULL,
    "application_id" BIGINT NOT NULL,
    "graphql" INTEGER NOT NULL,
    "xmpp" INTEGER NOT NULL,
    "janus" INTEGER NOT NULL,

    CONSTRAINT "application_sockets_pkey" PRIMARY KEY ("node_id","application_id")
);

-- CreateIndex
CREATE INDEX "application_statistics_seconds_starts_at_idx" ON "application_statistics"("seconds", "starts_at");

-- CreateIndex
CREATE INDEX "statistics_nodes_lease_until_idx" ON "statistics_nodes"("lease_until");

-- CreateIndex
CREATE INDEX "application_sockets_application_id_idx" ON "application_sockets"("application_id");

-- AddForeignKey
ALTER TABLE "application_statistics" ADD CONSTRAINT "application_statistics_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "application_sockets" ADD CONSTRAINT "application_sockets_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "statistics_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "application_sockets" ADD CONSTRAINT "application_sockets_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
