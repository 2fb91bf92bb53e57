from django.apps import AppConfig


class DeployConfig(AppConfig):
    name = "deploy"

    def ready(self) -> None:
        from deploy.celery import app

        # Whoever sends a message, in whatever thread, sends it through this application.
        app.set_default()
