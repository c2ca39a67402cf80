import { type } from "arktype";
import { documented } from "../../platform/http/documented.ts";
import { Timestamp, Uuid } from "../../platform/http/shapes.ts";

export const UploadQuery = type({ field: "string", "name?": "string" });

export const Upload = documented(
  type({
    id: Uuid,
    name: "string",
    size: "number.integer >= 1",
    type: "string",
    sha256: "string",
    expiresAt: Timestamp,
  }),
  {
    text: "A file that was uploaded, and belongs to no submission yet.",
    members: {
      id: 'What a submission names: `[{ "id" }]` is the value of the field.',
      name: "As it was sent, without the directories before it. It is text, and never a path.",
      size: "Bytes.",
      type: "By the content.",
      sha256: "Of the bytes, in hexadecimal digits.",
      expiresAt: "Until when a submission may name it; then it is deleted.",
    },
  },
);
