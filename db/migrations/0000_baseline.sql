CREATE SEQUENCE "public"."review_desk_removals" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
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
CREATE TABLE "reviewer_used_codes" (
	"user_id" text NOT NULL,
	"code" text NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reviewer_used_codes_user_id_code_pk" PRIMARY KEY("user_id","code")
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
	"last_sign_in_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reviewers_role" CHECK ("reviewers"."role" in ('reviewer', 'administrator'))
);
--> statement-breakpoint
CREATE TABLE "computes" (
	"id" text PRIMARY KEY NOT NULL,
	"node_id" text NOT NULL,
	"name" text NOT NULL,
	"label" text,
	"image" text NOT NULL,
	"visibility" text NOT NULL,
	"class" text NOT NULL,
	"backend" text NOT NULL,
	"replicas" integer NOT NULL,
	"free_slots" integer NOT NULL,
	"first_seen" timestamp (3) with time zone NOT NULL,
	"last_seen" timestamp (3) with time zone NOT NULL,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL,
	CONSTRAINT "computes_class" CHECK ("computes"."class" in ('S', 'M', 'L')),
	CONSTRAINT "computes_visibility" CHECK ("computes"."visibility" in ('public', 'private')),
	CONSTRAINT "computes_capacity" CHECK ("computes"."replicas" >= 0 and "computes"."free_slots" >= 0)
);
--> statement-breakpoint
CREATE TABLE "history_days" (
	"day" date PRIMARY KEY NOT NULL,
	"quarters" integer NOT NULL,
	"online" bigint NOT NULL,
	"syncing" bigint NOT NULL,
	"idle" bigint NOT NULL,
	"offline" bigint NOT NULL,
	"joined" integer NOT NULL,
	"left" integer NOT NULL,
	"free_slots" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "history_places" (
	"step_seconds" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"nodes" integer NOT NULL,
	"places" integer NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "history_places_step_seconds_at_pk" PRIMARY KEY("step_seconds","at")
);
--> statement-breakpoint
CREATE TABLE "history_quarters" (
	"quarter" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"claimed_by" text NOT NULL,
	"claimed_at" timestamp (3) with time zone NOT NULL,
	"measured" boolean,
	"online" integer,
	"syncing" integer,
	"idle" integer,
	"offline" integer,
	"joined" integer,
	"left" integer,
	"free_slots" bigint,
	CONSTRAINT "history_quarters_counts" CHECK (not "history_quarters"."measured" or least("history_quarters"."online", "history_quarters"."syncing", "history_quarters"."idle", "history_quarters"."offline", "history_quarters"."joined", "history_quarters"."left", "history_quarters"."free_slots") >= 0)
);
--> statement-breakpoint
CREATE TABLE "node_days" (
	"day" date NOT NULL,
	"node" text NOT NULL,
	"bits" "bytea" NOT NULL,
	CONSTRAINT "node_days_day_node_pk" PRIMARY KEY("day","node")
);
--> statement-breakpoint
CREATE TABLE "service_periods" (
	"server" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "service_periods_server_since_pk" PRIMARY KEY("server","since")
);
--> statement-breakpoint
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
CREATE TABLE "feed" (
	"server" text NOT NULL,
	"n" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"source" text NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "feed_server_n_pk" PRIMARY KEY("server","n")
);
--> statement-breakpoint
CREATE TABLE "peers" (
	"id" text PRIMARY KEY NOT NULL,
	"label" text,
	"class" text,
	"region" text,
	"status" text NOT NULL,
	"lat" double precision NOT NULL,
	"lng" double precision NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"last_seen" timestamp (3) with time zone NOT NULL,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL,
	CONSTRAINT "peers_class" CHECK ("peers"."class" in ('S', 'M', 'L')),
	CONSTRAINT "peers_status" CHECK ("peers"."status" in ('online', 'syncing', 'idle', 'offline')),
	CONSTRAINT "peers_place" CHECK ("peers"."lat" between -90 and 90 and "peers"."lng" between -180 and 180)
);
--> statement-breakpoint
CREATE TABLE "notification_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"registration_id" text NOT NULL,
	"event" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	"outcome" text,
	CONSTRAINT "notification_messages_event" CHECK ("notification_messages"."event" in ('decided', 'offline', 'back', 'test'))
);
--> statement-breakpoint
CREATE TABLE "notification_targets" (
	"registration_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"address" text NOT NULL,
	"secret" text,
	"enabled" boolean NOT NULL,
	"on_decision" boolean NOT NULL,
	"offline_minutes" integer,
	"on_return" boolean NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "notification_targets_kind" CHECK ("notification_targets"."kind" in ('webhook', 'ntfy'))
);
--> statement-breakpoint
CREATE TABLE "outage_watch" (
	"id" text PRIMARY KEY NOT NULL,
	"server" text NOT NULL,
	"renewed_at" timestamp (3) with time zone NOT NULL,
	"measuring_since" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outages" (
	"node_id" text NOT NULL,
	"offline_since" timestamp (3) with time zone NOT NULL,
	"measured_since" timestamp (3) with time zone NOT NULL,
	"back_at" timestamp (3) with time zone,
	CONSTRAINT "outages_node_id_offline_since_pk" PRIMARY KEY("node_id","offline_since")
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" text PRIMARY KEY NOT NULL,
	"paid_at" timestamp (3) with time zone NOT NULL,
	"amount_cents" integer NOT NULL,
	"note" text NOT NULL,
	"note_key" text,
	"reversed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"key_hash" text PRIMARY KEY NOT NULL,
	"body_hash" text NOT NULL,
	"registration_id" text NOT NULL,
	"answer" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "name_claims" (
	"name" text PRIMARY KEY NOT NULL,
	"registration_id" text NOT NULL,
	"claimed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "registering_nodes" (
	"node_id" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "registration_history" (
	"registration_id" text NOT NULL,
	"rev" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"from_status" text,
	"to_status" text NOT NULL,
	"reason" text,
	CONSTRAINT "registration_history_registration_id_rev_pk" PRIMARY KEY("registration_id","rev")
);
--> statement-breakpoint
CREATE TABLE "registrations" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"label" text NOT NULL,
	"class" text NOT NULL,
	"region" text NOT NULL,
	"node_id" text NOT NULL,
	"kinds" text[] NOT NULL,
	"status" text NOT NULL,
	"payment_note" text NOT NULL,
	"fee_cents" integer NOT NULL,
	"cash_confirm" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"activated_at" timestamp (3) with time zone,
	"decided_at" timestamp (3) with time zone,
	"decided_by" text,
	"rejection_reason" text,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL,
	"proof_key" text,
	CONSTRAINT "registrations_class" CHECK ("registrations"."class" in ('S', 'M', 'L')),
	CONSTRAINT "registrations_status" CHECK ("registrations"."status" in ('pending_payment', 'pending_review', 'active', 'rejected')),
	CONSTRAINT "registrations_kinds" CHECK (cardinality("registrations"."kinds") between 1 and 2),
	CONSTRAINT "registrations_fee" CHECK ("registrations"."fee_cents" >= 0)
);
--> statement-breakpoint
CREATE TABLE "reserved_names" (
	"name" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"added_by" text NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
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
CREATE TABLE "review_actions" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text,
	CONSTRAINT "review_actions_action" CHECK ("review_actions"."action" in ('name_reserved', 'name_released', 'node_blocked', 'node_unblocked', 'node_removed', 'node_key_reset', 'payments_imported', 'reviewer_invited', 'invitation_withdrawn', 'reviewer_joined', 'access_link_made', 'access_renewed', 'role_changed', 'reviewer_deactivated', 'reviewer_reactivated'))
);
--> statement-breakpoint
CREATE TABLE "review_decisions" (
	"registration_id" text PRIMARY KEY NOT NULL,
	"reviewer" text NOT NULL,
	"decision" text NOT NULL,
	"reason" text,
	"rev" bigint,
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
CREATE TABLE "status_minutes" (
	"minute" timestamp (3) with time zone NOT NULL,
	"server" text NOT NULL,
	"checks_ok" integer NOT NULL,
	"checks_failed" integer NOT NULL,
	"latency_sum_ms" integer NOT NULL,
	"latency_max_ms" integer NOT NULL,
	"pings" integer NOT NULL,
	"announces" integer NOT NULL,
	CONSTRAINT "status_minutes_minute_server_pk" PRIMARY KEY("minute","server"),
	CONSTRAINT "status_minutes_counts" CHECK (least("status_minutes"."checks_ok", "status_minutes"."checks_failed", "status_minutes"."latency_sum_ms", "status_minutes"."latency_max_ms", "status_minutes"."pings", "status_minutes"."announces") >= 0)
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
ALTER TABLE "reviewer_used_codes" ADD CONSTRAINT "reviewer_used_codes_user_id_reviewers_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."reviewers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reviewer_accounts_by_user" ON "reviewer_accounts" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "reviewer_sessions_token" ON "reviewer_sessions" USING btree ("token");--> statement-breakpoint
CREATE INDEX "reviewer_sessions_by_user" ON "reviewer_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "reviewer_two_factors_by_user" ON "reviewer_two_factors" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "reviewer_verifications_by_identifier" ON "reviewer_verifications" USING btree ("identifier");--> statement-breakpoint
CREATE UNIQUE INDEX "reviewers_email" ON "reviewers" USING btree ("email");--> statement-breakpoint
CREATE INDEX "notification_messages_by_attempt" ON "notification_messages" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "notification_messages_by_registration" ON "notification_messages" USING btree ("registration_id","created_at");--> statement-breakpoint
CREATE INDEX "outages_by_end" ON "outages" USING btree ("back_at");--> statement-breakpoint
CREATE INDEX "payments_by_note" ON "payments" USING btree ("note_key");--> statement-breakpoint
CREATE INDEX "payments_by_id_letters" ON "payments" USING btree ((upper(regexp_replace("id", '[^A-Za-z0-9]', '', 'g'))));--> statement-breakpoint
CREATE INDEX "registration_history_by_time" ON "registration_history" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "registrations_payment_note" ON "registrations" USING btree ("payment_note");--> statement-breakpoint
CREATE INDEX "registrations_by_status" ON "registrations" USING btree ("status","expires_at");--> statement-breakpoint
CREATE INDEX "registrations_by_node" ON "registrations" USING btree ("node_id","status");--> statement-breakpoint
CREATE INDEX "registrations_by_writing" ON "registrations" USING btree ("written_at");--> statement-breakpoint
CREATE INDEX "blocked_nodes_by_writing" ON "blocked_nodes" USING btree ("written_at");--> statement-breakpoint
CREATE INDEX "review_actions_by_time" ON "review_actions" USING btree ("at");--> statement-breakpoint
CREATE INDEX "review_decisions_by_effect" ON "review_decisions" USING btree ("effective_at");--> statement-breakpoint
CREATE INDEX "webhook_messages_by_attempt" ON "webhook_messages" USING btree ("next_attempt_at");--> statement-breakpoint
-- What follows is written by hand: drizzle-kit knows neither storage parameters nor rows.
-- A heartbeat updates its row in place (HOT) when the page has room for the new version.
ALTER TABLE "peers" SET (fillfactor = 70);--> statement-breakpoint
ALTER TABLE "computes" SET (fillfactor = 70);--> statement-breakpoint
-- Every row of a day is updated each quarter of an hour: in place (HOT), if its page has room for all of them twice.
ALTER TABLE "node_days" SET (fillfactor = 45);--> statement-breakpoint
-- Compressed already.
ALTER TABLE "history_places" ALTER COLUMN "body" SET STORAGE EXTERNAL;--> statement-breakpoint
-- The first reserved names: words that a visitor would take for the service itself. Reviewers edit the list later.
INSERT INTO "reserved_names" ("name", "reason", "added_by", "added_at")
SELECT "name", 'reserved for the service', 'system', now()
FROM (VALUES
  ('genesis'), ('admin'), ('administrator'), ('api'), ('app'), ('assets'), ('auth'), ('bootstrap'),
  ('compute'), ('computes'), ('docs'), ('health'), ('healthz'), ('help'), ('localhost'), ('login'),
  ('map'), ('mesh'), ('metrics'), ('moderator'), ('name'), ('names'), ('node'), ('nodes'), ('official'),
  ('openapi'), ('operator'), ('payment'), ('peer'), ('peers'), ('ping'), ('privacy'), ('readyz'),
  ('register'), ('registry'), ('review'), ('reviewer'), ('root'), ('security'), ('staff'), ('status'),
  ('support'), ('system'), ('team'), ('trpc'), ('www')
) AS "seed" ("name");
