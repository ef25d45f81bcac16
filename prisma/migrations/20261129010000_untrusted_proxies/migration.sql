-- AlterTable
ALTER TABLE "nodes" ADD COLUMN "untrusted_proxy" TEXT;
