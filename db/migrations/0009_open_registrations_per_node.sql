CREATE TABLE "registering_nodes" (
	"node_id" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE INDEX "registrations_by_node" ON "registrations" USING btree ("node_id","status");