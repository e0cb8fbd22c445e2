CREATE TABLE "spent_signatures" (
	"id" text PRIMARY KEY NOT NULL,
	"use" text NOT NULL,
	"spent_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "spent_signatures_by_time" ON "spent_signatures" USING btree ("spent_at");