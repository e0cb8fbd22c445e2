CREATE TABLE "hidden_nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"hidden_at" timestamp (3) with time zone NOT NULL,
	"rev" bigint DEFAULT 1 NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"written_by" text NOT NULL
);
