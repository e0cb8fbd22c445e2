DROP INDEX "outages_by_end";--> statement-breakpoint
CREATE INDEX "outages_by_end" ON "outages" USING btree ("back_at","node_id");