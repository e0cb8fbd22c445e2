CREATE TABLE "history_places" (
	"step_seconds" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"nodes" integer NOT NULL,
	"places" integer NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "history_places_step_seconds_at_pk" PRIMARY KEY("step_seconds","at")
);
--> statement-breakpoint
-- Compressed already.
ALTER TABLE "history_places" ALTER COLUMN "body" SET STORAGE EXTERNAL;
