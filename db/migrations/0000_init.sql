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
CREATE UNIQUE INDEX "registrations_payment_note" ON "registrations" USING btree ("payment_note");--> statement-breakpoint
CREATE INDEX "registrations_by_status" ON "registrations" USING btree ("status","expires_at");--> statement-breakpoint
CREATE INDEX "registrations_by_writing" ON "registrations" USING btree ("written_at");