import Type from 'typebox'
import { binary, created, deleted, list, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { deleteFile, listFiles, retrieveFile } from './files.ts'
import * as schema from './schema.ts'
import { sendContent } from './send-content.ts'
import { uploadFile } from './upload.ts'
import { addUploadBody } from './upload-body.ts'

const tag = 'Files'

export const files: Resource = {
  tag,
  about: 'Input files of runs, and files that agents write.',
  ids: { files: 'File id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'files.list',
      route: 'GET /v1/files',
      cli: { limit: 50 },
      role: 'viewer',
      action: 'list files',
      summary: 'List files',
      description: 'Newest first, 50 a page by default.',
      answer: list(schema.StoredFile, 'A page of files.'),
      verb: ({ ctx, page }) => listFiles(ctx, page),
    }),
    operation({
      id: 'files.retrieve',
      route: 'GET /v1/files/:id',
      role: 'viewer',
      action: 'retrieve file',
      summary: 'Retrieve a file',
      description: "The file's metadata; its content is at `/content`.",
      answer: ok(schema.StoredFile, 'The file.'),
      verb: ({ ctx, params }) => retrieveFile(ctx, params.id),
    }),
    operation({
      id: 'files.content',
      route: 'GET /v1/files/:id/content',
      role: 'viewer',
      action: 'read file',
      summary: 'Download a file',
      description:
        'The bytes as uploaded, as an attachment that browsers save instead of showing. Supports one byte ' +
        '`Range`.',
      headers: {
        range: Type.Optional(
          Type.String({
            maxLength: 100,
            description: 'Such as `bytes=0-1023`; answered with 206.',
          }),
        ),
      },
      answer: binary('The bytes.'),
      etag: 'content',
      verb: (call) => sendContent(call, call.headers.range),
    }),
    operation({
      id: 'files.delete',
      route: 'DELETE /v1/files/:id',
      role: 'member',
      audit: 'file.deleted',
      action: 'delete file',
      summary: 'Delete a file',
      description:
        'Refused with 409 `file_in_use` while an unfinished run uses it. Finished runs keep its name.',
      answer: deleted('The file is deleted.'),
      verb: ({ ctx, params }) => deleteFile(ctx, params.id),
    }),
  ],
}

/** Separate from the other routes, because its body is not JSON. */
export const fileUploads: Resource = {
  tag,
  schemas: {},
  setUp: addUploadBody,
  operations: [
    operation({
      id: 'files.create',
      route: 'POST /v1/files',
      role: 'member',
      audit: 'file.uploaded',
      action: 'upload file',
      summary: 'Upload a file',
      description:
        'UTF-8 text (Markdown, CSV and JSON by name), PDF, DOCX, XLSX, PNG, JPEG, WebP or GIF, up to 32 MB. The ' +
        'type is determined by the content. The response is sent when the text has been read.',
      body: schema.UploadFile,
      bodyType: 'multipart/form-data',
      answer: created(schema.StoredFile, 'The new file.'),
      creates: 'file',
      verb: async ({ ctx, reservedId, request }) => {
        const { upload } = request
        if (upload === null) throw new Error('A body that was taken has a file')
        const { file, isNew } = await uploadFile(ctx, reservedId, upload)
        if (isNew) request.upload = null
        return file
      },
    }),
  ],
}
