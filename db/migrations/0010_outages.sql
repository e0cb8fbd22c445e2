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
CREATE INDEX "outages_by_end" ON "outages" USING btree ("back_at");