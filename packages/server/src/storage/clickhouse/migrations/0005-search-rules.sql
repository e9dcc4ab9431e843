-- By which rules the terms of a row were made (TERM_RULES in traces/intake/terms.ts), and the text of a step (TEXT_RULES in
-- search-text.ts). Rows of before were made by the first.
ALTER TABLE traces{{on_cluster}} ADD COLUMN IF NOT EXISTS term_rules UInt16 DEFAULT 1;

ALTER TABLE metric_points{{on_cluster}} ADD COLUMN IF NOT EXISTS term_rules UInt16 DEFAULT 1;

ALTER TABLE steps{{on_cluster}} ADD COLUMN IF NOT EXISTS text_rules UInt16 DEFAULT 1;
