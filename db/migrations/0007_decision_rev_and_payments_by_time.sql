ALTER TABLE "review_decisions" ADD COLUMN "rev" bigint;--> statement-breakpoint
CREATE INDEX "payments_by_time" ON "payments" USING btree ("paid_at","id");