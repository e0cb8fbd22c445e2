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
CREATE INDEX "notification_messages_by_attempt" ON "notification_messages" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "notification_messages_by_registration" ON "notification_messages" USING btree ("registration_id","created_at");