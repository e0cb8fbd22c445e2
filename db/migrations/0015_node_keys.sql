CREATE TABLE "node_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"source" text NOT NULL,
	"pinned_at" timestamp (3) with time zone NOT NULL,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL,
	CONSTRAINT "node_keys_source" CHECK ("node_keys"."source" in ('registration', 'first_use', 'rotation'))
);
--> statement-breakpoint
ALTER TABLE "review_actions" DROP CONSTRAINT "review_actions_action";--> statement-breakpoint
ALTER TABLE "registrations" ADD COLUMN "proof_key" text;--> statement-breakpoint
ALTER TABLE "review_actions" ADD CONSTRAINT "review_actions_action" CHECK ("review_actions"."action" in ('name_reserved', 'name_released', 'node_blocked', 'node_unblocked', 'node_removed', 'node_key_reset', 'payments_imported', 'reviewer_invited', 'invitation_withdrawn', 'reviewer_joined', 'access_link_made', 'access_renewed', 'role_changed', 'reviewer_deactivated', 'reviewer_reactivated'));