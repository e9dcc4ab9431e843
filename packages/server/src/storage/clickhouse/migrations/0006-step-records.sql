-- All that a read of a step shows in one column (STEP_RECORD in rows/step-row.ts), as `traces` has it: a read of one trace
-- takes 3 columns in place of 18, which halves its time. Rows of before have it computed from the columns that they have;
-- six of those are not written any more.
ALTER TABLE steps{{on_cluster}} ADD COLUMN IF NOT EXISTS record String DEFAULT concat(
  '[', toJSONString(id),
  ',', toJSONString(name),
  ',', toJSONString(toString(type)),
  ',', if(model = '', 'null', toJSONString(toString(model))),
  ',', toJSONString(toString(status)),
  ',', if(started_at = -1, 'null', toString(started_at)),
  ',', if(ended_at = -1, 'null', toString(ended_at)),
  ',', toString(received_at),
  ',', if(parent_step_id = '', 'null', toJSONString(parent_step_id)),
  ',', if(parent_inferred = 1, 'true', 'false'),
  ',', toString(input_tokens),
  ',', toString(output_tokens),
  ',', toString(cache_read_tokens),
  ',', toString(cache_write_tokens),
  ',', toString(reasoning_tokens),
  ',', if(idempotency_key = '', 'null', toJSONString(idempotency_key)),
  ']');
