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
-- Every row of a day is updated each quarter of an hour: in place (HOT), if its page has room for all of them twice.
ALTER TABLE "node_days" SET (fillfactor = 45);
