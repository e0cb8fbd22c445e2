CREATE TABLE "blocked_nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"blocked_by" text NOT NULL,
	"blocked_at" timestamp (3) with time zone NOT NULL,
	"lifted_at" timestamp (3) with time zone,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" text PRIMARY KEY NOT NULL,
	"paid_at" timestamp (3) with time zone NOT NULL,
	"amount_cents" integer NOT NULL,
	"note" text NOT NULL,
	"note_key" text
);
--> statement-breakpoint
CREATE TABLE "review_actions" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text,
	CONSTRAINT "review_actions_action" CHECK ("review_actions"."action" in ('name_reserved', 'name_released', 'node_blocked', 'node_unblocked', 'payments_imported', 'reviewer_invited', 'reviewer_joined', 'role_changed', 'reviewer_deactivated', 'reviewer_reactivated'))
);
--> statement-breakpoint
CREATE TABLE "review_decisions" (
	"registration_id" text PRIMARY KEY NOT NULL,
	"reviewer" text NOT NULL,
	"decision" text NOT NULL,
	"reason" text,
	"made_at" timestamp (3) with time zone NOT NULL,
	"effective_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "review_decisions_decision" CHECK ("review_decisions"."decision" in ('accept', 'reject', 'revoke'))
);
--> statement-breakpoint
CREATE TABLE "review_takes" (
	"registration_id" text PRIMARY KEY NOT NULL,
	"reviewer" text NOT NULL,
	"taken_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviewer_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"password" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviewer_invitations" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"email" text,
	"role" text NOT NULL,
	"invited_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviewer_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" text NOT NULL,
	"user_agent" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviewer_two_factors" (
	"id" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"backup_codes" text NOT NULL,
	"user_id" text NOT NULL,
	"verified" boolean DEFAULT true NOT NULL,
	"failed_verification_count" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "reviewer_verifications" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviewers" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean NOT NULL,
	"role" text NOT NULL,
	"deactivated_at" timestamp (3) with time zone,
	"two_factor_enabled" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reviewers_role" CHECK ("reviewers"."role" in ('reviewer', 'administrator'))
);
--> statement-breakpoint
CREATE TABLE "webhook_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "reviewer_accounts" ADD CONSTRAINT "reviewer_accounts_user_id_reviewers_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."reviewers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviewer_sessions" ADD CONSTRAINT "reviewer_sessions_user_id_reviewers_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."reviewers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviewer_two_factors" ADD CONSTRAINT "reviewer_two_factors_user_id_reviewers_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."reviewers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "blocked_nodes_by_writing" ON "blocked_nodes" USING btree ("written_at");--> statement-breakpoint
CREATE INDEX "payments_by_note" ON "payments" USING btree ("note_key");--> statement-breakpoint
CREATE INDEX "review_actions_by_time" ON "review_actions" USING btree ("at");--> statement-breakpoint
CREATE INDEX "review_decisions_by_effect" ON "review_decisions" USING btree ("effective_at");--> statement-breakpoint
CREATE INDEX "reviewer_accounts_by_user" ON "reviewer_accounts" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "reviewer_sessions_token" ON "reviewer_sessions" USING btree ("token");--> statement-breakpoint
CREATE INDEX "reviewer_sessions_by_user" ON "reviewer_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "reviewer_two_factors_by_user" ON "reviewer_two_factors" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "reviewer_verifications_by_identifier" ON "reviewer_verifications" USING btree ("identifier");--> statement-breakpoint
CREATE UNIQUE INDEX "reviewers_email" ON "reviewers" USING btree ("email");--> statement-breakpoint
CREATE INDEX "webhook_messages_by_attempt" ON "webhook_messages" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "registration_history_by_time" ON "registration_history" USING btree ("at");