CREATE TABLE "registration_answers" (
	"registration_id" text NOT NULL,
	"rev" bigint NOT NULL,
	"question_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "registration_answers_registration_id_rev_pk" PRIMARY KEY("registration_id","rev")
);
--> statement-breakpoint
CREATE TABLE "registration_questions" (
	"id" text PRIMARY KEY NOT NULL,
	"registration_id" text NOT NULL,
	"rev" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"asked_by" text NOT NULL,
	"text" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "notification_messages" DROP CONSTRAINT "notification_messages_event";--> statement-breakpoint
CREATE UNIQUE INDEX "registration_answers_text" ON "registration_answers" USING btree ("question_id","text");--> statement-breakpoint
CREATE UNIQUE INDEX "registration_questions_text" ON "registration_questions" USING btree ("registration_id","text");--> statement-breakpoint
ALTER TABLE "notification_messages" ADD CONSTRAINT "notification_messages_event" CHECK ("notification_messages"."event" in ('decided', 'asked', 'offline', 'back', 'test'));