-- AlterTable: null for the rows that exist. A hash does not tell the form; the first right password does.
ALTER TABLE "users" ADD COLUMN     "password_has_token_form" BOOLEAN;
