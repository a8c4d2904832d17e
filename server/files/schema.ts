import Type, { type Static } from 'typebox'
import { textStatuses } from '../engine/wire/run.ts'
import { Nullable, StrictObject, StringEnum, Timestamp } from '../wire-types.ts'

export const StoredFile = Type.Object(
  {
    id: Type.String({ description: 'File id.' }),
    name: Type.String({
      description: 'As uploaded, without folders and invisible characters.',
    }),
    media_type: Type.String({
      description:
        'Type of its content: `text/plain`, `text/markdown`, `text/csv`, `application/json`, `application/pdf`, ' +
        '`application/vnd.openxmlformats-officedocument.wordprocessingml.document`, ' +
        '`application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`, `image/png`, `image/jpeg`, ' +
        '`image/webp` or `image/gif`.',
    }),
    bytes: Type.Integer({ description: 'Size in bytes.' }),
    sha256: Type.String({ description: 'Hash of the bytes, in hexadecimal.' }),
    pages: Nullable(Type.Integer({ description: 'Pages of a PDF; null otherwise.' })),
    width: Nullable(Type.Integer({ description: 'Of an image, in pixels; null otherwise.' })),
    height: Nullable(Type.Integer({ description: 'Of an image, in pixels; null otherwise.' })),
    text_status: Nullable(
      StringEnum(textStatuses, {
        description:
          '`complete`: all text can be read. `cut`: only the beginning, because the text is too long. `none`: there ' +
          'is no text, as in a scan. null for images.',
      }),
    ),
    text_chars: Nullable(
      Type.Integer({ description: 'Characters of the text that can be read; null for images.' }),
    ),
    created_at: Timestamp('When it was created.'),
  },
  { $id: 'StoredFile', description: 'A file that can be an input of runs.' },
)
export type StoredFile = Static<typeof StoredFile>

export const UploadFile = StrictObject(
  {
    file: Type.String({
      format: 'binary',
      description: 'The file with its name, up to 32 MB.',
    }),
  },
  { $id: 'UploadFile', description: 'The file to upload.' },
)
