CREATE TABLE "reviewer_used_codes" (
	"user_id" text NOT NULL,
	"code" text NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reviewer_used_codes_user_id_code_pk" PRIMARY KEY("user_id","code")
);
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "reversed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reviewer_used_codes" ADD CONSTRAINT "reviewer_used_codes_user_id_reviewers_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."reviewers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payments_by_id_letters" ON "payments" USING btree ((upper(regexp_replace("id", '[^A-Za-z0-9]', '', 'g'))));