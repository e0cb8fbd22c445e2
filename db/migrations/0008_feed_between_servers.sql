CREATE TABLE "feed" (
	"server" text NOT NULL,
	"n" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"source" text NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "feed_server_n_pk" PRIMARY KEY("server","n")
);
