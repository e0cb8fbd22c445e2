CREATE TABLE "log_head" (
	"id" text PRIMARY KEY NOT NULL,
	"height" integer NOT NULL,
	"block_id" text NOT NULL,
	"frames" text NOT NULL,
	"writer" text NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"must_compare" boolean DEFAULT false NOT NULL
);
