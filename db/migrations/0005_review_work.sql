CREATE TABLE "review_work" (
	"registration_id" text PRIMARY KEY NOT NULL,
	"assignee" text,
	"remark" text,
	"remark_by" text,
	"remark_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "review_actions" DROP CONSTRAINT "review_actions_action";--> statement-breakpoint
ALTER TABLE "review_actions" ADD CONSTRAINT "review_actions_action" CHECK ("review_actions"."action" in ('name_reserved', 'name_released', 'node_blocked', 'node_unblocked', 'node_removed', 'node_key_reset', 'node_key_pinned', 'payments_imported', 'registration_assigned', 'remark_written', 'reviewer_invited', 'invitation_withdrawn', 'reviewer_joined', 'access_link_made', 'access_renewed', 'role_changed', 'reviewer_deactivated', 'reviewer_reactivated'));