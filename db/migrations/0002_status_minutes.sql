CREATE TABLE "status_minutes" (
	"minute" timestamp (3) with time zone NOT NULL,
	"server" text NOT NULL,
	"checks_ok" integer NOT NULL,
	"checks_failed" integer NOT NULL,
	"latency_sum_ms" integer NOT NULL,
	"latency_max_ms" integer NOT NULL,
	"pings" integer NOT NULL,
	"announces" integer NOT NULL,
	CONSTRAINT "status_minutes_minute_server_pk" PRIMARY KEY("minute","server"),
	CONSTRAINT "status_minutes_counts" CHECK (least("status_minutes"."checks_ok", "status_minutes"."checks_failed", "status_minutes"."latency_sum_ms", "status_minutes"."latency_max_ms", "status_minutes"."pings", "status_minutes"."announces") >= 0)
);
