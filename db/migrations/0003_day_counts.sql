CREATE TABLE "history_day_counts" (
	"day" date NOT NULL,
	"name" text NOT NULL,
	"sum" bigint NOT NULL,
	CONSTRAINT "history_day_counts_day_name_pk" PRIMARY KEY("day","name")
);
