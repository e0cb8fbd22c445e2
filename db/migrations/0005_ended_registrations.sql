CREATE INDEX "registrations_by_name" ON "registrations" USING btree ("name");--> statement-breakpoint
CREATE INDEX "registrations_by_change" ON "registrations" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "registrations_held" ON "registrations" USING btree ("id") WHERE "registrations"."status" <> 'rejected';--> statement-breakpoint
CREATE INDEX "registrations_unclaimed" ON "registrations" USING btree (least("decided_at", "expires_at")) WHERE "registrations"."confirmed_at" is null and ("registrations"."decided_by" is null or "registrations"."decided_by" in ('operator', 'system'));--> statement-breakpoint
CREATE INDEX "registrations_by_review" ON "registrations" USING btree (coalesce("activated_at", "decided_at")) WHERE "registrations"."confirmed_at" is not null;