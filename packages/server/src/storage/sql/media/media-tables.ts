export interface MediaTables {
  media: MediaRow
  attachments: AttachmentRow
  pending_blobs: PendingRow
  direct_uploads: DirectUploadRow
  deleted_traces: DeletedTraceRow
}

/** Ids are their 16 bytes, hashes their 32; times are milliseconds. */
export interface MediaRow {
  readonly project_id: Uint8Array
  readonly sha256: Uint8Array
  readonly blob_key: string
  readonly content_type: string
  readonly size_bytes: number
  readonly width: number | null
  readonly height: number | null
  readonly created_at: number
}

export interface AttachmentRow {
  readonly trace_id: Uint8Array
  /** Empty: the whole trace. */
  readonly step_id: Uint8Array
  readonly id: Uint8Array
  readonly project_id: Uint8Array
  readonly sha256: Uint8Array
  readonly kind: string
  readonly filename: string | null
  readonly claimed_type: string | null
  readonly created_at: number
}

interface PendingRow {
  readonly blob_key: string
  /** 0: being written; 1: marked for deletion. */
  readonly condemned: number
  readonly owner: string
  readonly lease_until: number
}

export interface DirectUploadRow {
  readonly id: Uint8Array
  readonly project_id: Uint8Array
  readonly trace_id: Uint8Array
  readonly step_id: Uint8Array | null
  readonly kind: string
  readonly filename: string | null
  readonly content_type: string
  readonly size_bytes: number
  readonly sha256: Uint8Array
  readonly staging_key: string | null
  readonly final_key: string | null
  /** 1: it has become an attachment. */
  readonly taken: number
  readonly created_at: number
  readonly expires_at: number
}

/** Written by the journal. */
interface DeletedTraceRow {
  readonly trace_id: Uint8Array
}
