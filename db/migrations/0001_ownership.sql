CREATE TABLE "former_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"node_id" text NOT NULL,
	"key" text NOT NULL,
	"replaced_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "hidden_nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"hidden_at" timestamp (3) with time zone NOT NULL,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "node_signers" (
	"id" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"signed_at" timestamp (3) with time zone NOT NULL,
	"unsigned_at" timestamp (3) with time zone,
	"created" bigint NOT NULL,
	"nonces" text NOT NULL,
	"former_key" text,
	"former_created" bigint,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "spent_signatures" (
	"id" text PRIMARY KEY NOT NULL,
	"use" text NOT NULL,
	"spent_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "log_head" (
	"id" text PRIMARY KEY NOT NULL,
	"height" integer NOT NULL,
	"block_id" text NOT NULL,
	"frames" text NOT NULL,
	"writer" text NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"must_compare" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "node_keys" DROP CONSTRAINT "node_keys_source";--> statement-breakpoint
ALTER TABLE "review_actions" DROP CONSTRAINT "review_actions_action";--> statement-breakpoint
ALTER TABLE "registrations" ADD COLUMN "secret_id" text;--> statement-breakpoint
CREATE INDEX "former_keys_by_node" ON "former_keys" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "spent_signatures_by_time" ON "spent_signatures" USING btree ("spent_at");--> statement-breakpoint
CREATE UNIQUE INDEX "registrations_secret_id" ON "registrations" USING btree ("secret_id");--> statement-breakpoint
CREATE INDEX "registrations_by_name" ON "registrations" USING btree ("name");--> statement-breakpoint
CREATE INDEX "registrations_by_change" ON "registrations" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "registrations_held" ON "registrations" USING btree ("id") WHERE "registrations"."status" <> 'rejected';--> statement-breakpoint
CREATE INDEX "registrations_unclaimed" ON "registrations" USING btree (least("decided_at", "expires_at")) WHERE "registrations"."confirmed_at" is null and ("registrations"."decided_by" is null or "registrations"."decided_by" in ('operator', 'system'));--> statement-breakpoint
CREATE INDEX "registrations_by_review" ON "registrations" USING btree (coalesce("activated_at", "decided_at")) WHERE "registrations"."confirmed_at" is not null;--> statement-breakpoint
ALTER TABLE "node_keys" ADD CONSTRAINT "node_keys_source" CHECK ("node_keys"."source" in ('registration', 'first_use', 'rotation', 'review'));--> statement-breakpoint
ALTER TABLE "review_actions" ADD CONSTRAINT "review_actions_action" CHECK ("review_actions"."action" in ('name_reserved', 'name_released', 'node_blocked', 'node_unblocked', 'node_removed', 'node_key_reset', 'node_key_pinned', 'payments_imported', 'reviewer_invited', 'invitation_withdrawn', 'reviewer_joined', 'access_link_made', 'access_renewed', 'role_changed', 'reviewer_deactivated', 'reviewer_reactivated'));--> statement-breakpoint
-- Written by hand: a signature updates its row in place (HOT) when the page has room for the new version.
ALTER TABLE "node_signers" SET (fillfactor = 70);
