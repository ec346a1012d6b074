// Prints the changes of a calendar as they happen, from the stream.

const { EventSource } = require("eventsource");

const root = process.argv[2]; // such as https://calendar.example.org/calendar/events/v1

const stream = new EventSource(`${root}/changes/stream`);
stream.onmessage = (message) => {
  for (const { change, type, id } of JSON.parse(message.data).changes) {
    console.log(change, type, id);
  }
};
// It connects again by itself, and sends the ID of the last message.
stream.onerror = (error) => console.error(error.message);
