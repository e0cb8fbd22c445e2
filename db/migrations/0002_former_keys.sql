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
ALTER TABLE "node_keys" DROP CONSTRAINT "node_keys_source";--> statement-breakpoint
ALTER TABLE "review_actions" DROP CONSTRAINT "review_actions_action";--> statement-breakpoint
ALTER TABLE "registrations" ADD COLUMN "secret_id" text;--> statement-breakpoint
CREATE INDEX "former_keys_by_node" ON "former_keys" USING btree ("node_id");--> statement-breakpoint
CREATE UNIQUE INDEX "registrations_secret_id" ON "registrations" USING btree ("secret_id");--> statement-breakpoint
ALTER TABLE "node_keys" ADD CONSTRAINT "node_keys_source" CHECK ("node_keys"."source" in ('registration', 'first_use', 'rotation', 'review'));--> statement-breakpoint
ALTER TABLE "review_actions" ADD CONSTRAINT "review_actions_action" CHECK ("review_actions"."action" in ('name_reserved', 'name_released', 'node_blocked', 'node_unblocked', 'node_removed', 'node_key_reset', 'node_key_pinned', 'payments_imported', 'reviewer_invited', 'invitation_withdrawn', 'reviewer_joined', 'access_link_made', 'access_renewed', 'role_changed', 'reviewer_deactivated', 'reviewer_reactivated'));