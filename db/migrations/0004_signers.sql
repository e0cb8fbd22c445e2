CREATE TABLE "node_signers" (
	"id" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"signed_at" timestamp (3) with time zone NOT NULL,
	"created" bigint NOT NULL,
	"nonces" text NOT NULL,
	"former_key" text,
	"former_created" bigint,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL
);
--> statement-breakpoint
-- Written by hand: a signature updates its row in place (HOT) when the page has room for the new version.
ALTER TABLE "node_signers" SET (fillfactor = 70);
