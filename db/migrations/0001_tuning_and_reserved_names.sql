-- A heartbeat updates its row in place (HOT) when the page has room for the new version.
ALTER TABLE "peers" SET (fillfactor = 70);--> statement-breakpoint
ALTER TABLE "computes" SET (fillfactor = 70);--> statement-breakpoint
-- The first reserved names: words that a visitor would take for the service itself. Reviewers edit the list later.
INSERT INTO "reserved_names" ("name", "reason", "added_by", "added_at")
SELECT "name", 'reserved for the service', 'system', now()
FROM (VALUES
  ('genesis'), ('admin'), ('administrator'), ('api'), ('app'), ('assets'), ('auth'), ('bootstrap'),
  ('compute'), ('computes'), ('docs'), ('health'), ('healthz'), ('help'), ('localhost'), ('login'),
  ('map'), ('mesh'), ('metrics'), ('moderator'), ('name'), ('names'), ('node'), ('nodes'), ('official'),
  ('openapi'), ('operator'), ('payment'), ('peer'), ('peers'), ('ping'), ('privacy'), ('readyz'),
  ('register'), ('registry'), ('review'), ('reviewer'), ('root'), ('security'), ('staff'), ('status'),
  ('support'), ('system'), ('team'), ('trpc'), ('www')
) AS "seed" ("name")
ON CONFLICT DO NOTHING;
