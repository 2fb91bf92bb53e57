from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", include("api.urls")),
    path("", include("frontend.urls")),
]
handler403 = "frontend.views.errors.forbidden"
handler404 = "frontend.views.errors.not_found"
