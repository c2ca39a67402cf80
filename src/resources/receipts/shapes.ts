import { type } from "arktype";
import { documented } from "../../platform/http/documented.ts";
import { Timestamp, Uuid } from "../../platform/http/shapes.ts";

export const ReceiptKeyQuery = type({ team: Uuid });

export const ReceiptKey = documented(
  type({
    name: "string",
    key: "string",
    statement: "string",
    createdAt: Timestamp,
    retiredAt: Timestamp.or("null"),
  }),
  {
    text: "A public key that receipts of a team are signed with.",
    members: {
      name: "As in the signature line of a receipt.",
      key: "As `formd receipt verify --key` takes it: `<name>+<hash>+<base64>` (C2SP signed note).",
      statement:
        "What makes it a key: a signed note by the team's previous key, by the server, or by both. `formd receipt verify --keys` verifies it.",
      retiredAt: "Null: it signs the receipts of new submissions.",
    },
  },
);
